import { oneOf, type SettingRule, wholeNumber } from '../setting-rules.ts'

/** How a simulator behaves. */
export interface SimulatorSettings {
  offline: boolean
  delayMs: number
  submitDelayMs: number
  refuse: 'none' | 'good' | 'now' | 'busy'
  fail: 'none' | 'unknown'
  dropReceipts: boolean
  window: number
  peerUrl: string | null
}

/** No receipt of the simulator comes later than this after its message was taken. */
export const longestDelayMs = 3_600_000

/** Every setting of a simulator, with the check of its value. */
export const simulatorSettings: readonly SettingRule[] = [
  flag('offline', 'Cuts the device off: it takes nothing, and receipts wait until it is back.'),
  wholeNumber(
    'delay_ms',
    3000,
    [0, longestDelayMs],
    'Milliseconds from a taken message to its receipt; 0 is at once.',
  ),
  wholeNumber(
    'submit_delay_ms',
    0,
    [0, 60_000],
    'Milliseconds until the device says whether it takes a message.',
  ),
  oneOf(
    'refuse',
    ['none', 'good', 'now', 'busy'],
    'Refuses every message: `good` for ever, `now` for the moment (tried again and counted), `busy` throttled (tried again, not counted).',
  ),
  oneOf(
    'fail',
    ['none', 'unknown'],
    'With `unknown` every message goes out, but its answer is lost: nobody can tell whether it was sent.',
  ),
  flag('drop_receipts', 'Loses the receipt of every message taken from now on; it never comes.'),
  wholeNumber('window', 500, [1, 10_000], 'How many messages may wait for the answer of the device at once.'),
  {
    name: 'peer_url',
    default: '',
    says: 'Loopback address, such as http://127.0.0.1:8170/, of a process that is posted each message before the device answers; empty is none.',
    check: (value) =>
      value === '' || isLoopbackUrl(value)
        ? null
        : 'needs an http:// address on 127.0.0.1 or [::1], without a password, or nothing',
  },
]

/** Reads settings that were checked by `simulatorSettings`; those left out have their default. */
export function readSettings(given: Readonly<Record<string, string>>): SimulatorSettings {
  const textOf = (name: string): string =>
    given[name] ?? simulatorSettings.find((rule) => rule.name === name)?.default ?? ''
  return {
    offline: textOf('offline') === 'true',
    delayMs: Number(textOf('delay_ms')),
    submitDelayMs: Number(textOf('submit_delay_ms')),
    refuse: textOf('refuse') as SimulatorSettings['refuse'],
    fail: textOf('fail') as SimulatorSettings['fail'],
    dropReceipts: textOf('drop_receipts') === 'true',
    window: Number(textOf('window')),
    peerUrl: textOf('peer_url') === '' ? null : textOf('peer_url'),
  }
}

function flag(name: string, says: string): SettingRule {
  return oneOf(name, ['false', 'true'], says)
}

/** Literal addresses only: what a name means is decided elsewhere, and texts must not leave the machine. */
function isLoopbackUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  const isLoopback = hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
  return protocol === 'http:' && isLoopback && username === '' && password === ''
}

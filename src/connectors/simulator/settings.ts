import { oneOf, type SettingRule, wholeNumber } from '../setting-rules.ts'

/** The behaviour of a simulator. */
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

/** Maximum time from an accepted message to its receipt. */
export const longestDelayMs = 3_600_000

/** Every setting of a simulator, with the check of its value. */
export const simulatorSettings: readonly SettingRule[] = [
  flag(
    'offline',
    'Takes the device offline: it accepts nothing, and receipts wait until it is online again.',
  ),
  wholeNumber(
    'delay_ms',
    3000,
    [0, longestDelayMs],
    'Milliseconds from an accepted message to its receipt; 0 means immediately.',
  ),
  wholeNumber('submit_delay_ms', 0, [0, 60_000], 'Milliseconds until the device responds to a submission.'),
  oneOf(
    'refuse',
    ['none', 'good', 'now', 'busy'],
    'Rejects every message: `good` permanently, `now` temporarily (retried and counted), `busy` throttled (retried, not counted).',
  ),
  oneOf(
    'fail',
    ['none', 'unknown'],
    'With `unknown` every message is sent, but its response is lost, so its outcome is unknown.',
  ),
  flag('drop_receipts', 'Loses the receipts of all messages that are accepted from now on.'),
  wholeNumber(
    'window',
    500,
    [1, 10_000],
    'Maximum number of messages that may wait for the response of the device.',
  ),
  {
    name: 'peer_url',
    default: '',
    summary:
      'Loopback URL, such as http://127.0.0.1:8170/, of a process to which each message is posted before the device responds. Empty: none.',
    check: (value) =>
      value === '' || isLoopbackUrl(value)
        ? null
        : 'needs an http:// address on 127.0.0.1 or [::1], without a password, or nothing',
  },
]

/** Parses settings that were checked by `simulatorSettings`; missing ones get their default. */
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

function flag(name: string, summary: string): SettingRule {
  return oneOf(name, ['false', 'true'], summary)
}

/** Literal addresses only: a name may resolve to anything, and texts must not leave the machine. */
function isLoopbackUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  const isLoopback = hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
  return protocol === 'http:' && isLoopback && username === '' && password === ''
}

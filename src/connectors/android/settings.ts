import type { SimChoice } from '../sim-choice.ts'
import { type LocalAddress, readLocalAddress } from './local/local-address.ts'
import { countrySetting, oneOf, type SettingRule, wholeNumber } from '../setting-rules.ts'

/** The settings of a phone, parsed. */
export interface AndroidSettings {
  /** The numbers of its SIMs by slot, from 1; null where none is set. */
  simNumbers: readonly (string | null)[]
  /** The country whose national numbers its SIMs have; null if not set. */
  country: string | null
  simSelection: 'phone' | 'rotate'
  page: number
  /** 0 switches the ping off. */
  pingIntervalS: number
  keepAliveMs: number
  wakeIntervalMs: number
  wakeAnswerMs: number
  /** 0 means never. */
  probeAfterMs: number
  drainMs: number
  resyncAfterMs: number
  limitRestMs: number
  lateAfterMs: number
  offlineAfterMs: number
  /** The Local Server of a visited phone; null for a phone that visits. */
  local: { address: LocalAddress; user: string; id: string } | null
  visitMs: number
  visitIdleMs: number
  inboxDays: number
}

const simSlots = [1, 2, 3] as const

/** Every setting of a phone, with the check of its value. */
export const androidSettings: readonly SettingRule[] = [
  ...simSlots.map((slot) => simNumber(slot)),
  countrySetting,
  oneOf(
    'sim_selection',
    ['phone', 'rotate'],
    'SIM for messages that name none: `phone` lets the app choose, `rotate` uses the SIM that has sent least.',
  ),
  wholeNumber(
    'page',
    20,
    [1, 100],
    'Maximum number of messages that the phone may hold without having acknowledged them. They cannot be sent by another phone; 20 take a few minutes to send.',
  ),
  orNever(
    'ping_interval_s',
    600,
    [60, 86_400],
    'Seconds between pings of the app, which report its battery and network; 0 switches them off. Default 10 min, because each one costs battery. Takes effect when the app restarts.',
  ),
  wholeNumber(
    'keep_alive_s',
    15,
    [5, 60],
    'Seconds between keep-alives on an event stream; proxies close an idle one after 60 s.',
  ),
  wholeNumber(
    'wake_interval_ms',
    2_000,
    [1_000, 60_000],
    'Minimum milliseconds between two fetch events to the phone; half of that once it has followed the last one. Each event makes the app abort its current fetch.',
  ),
  wholeNumber(
    'wake_answer_s',
    10,
    [2, 300],
    'Seconds within which the phone must fetch after a fetch event. After two unanswered ones its event stream counts as dead.',
  ),
  orNever(
    'probe_after_s',
    300,
    [60, 86_400],
    'Seconds of silence after which a fetch event checks whether the phone is alive; 0 means never. Default 5 min, because a dead connection is not noticed otherwise.',
  ),
  wholeNumber(
    'drain_s',
    30,
    [5, 600],
    'Seconds after which an event stream that accepts no more bytes counts as dead.',
  ),
  wholeNumber(
    'resync_after_s',
    600,
    [60, 43_200],
    'Seconds without a report on a message that the phone holds, after which it is offered again. Default 10 min, because some networks take that long.',
  ),
  wholeNumber(
    'limit_rest_min',
    30,
    [1, 1_440],
    "Minutes for which the phone gets no messages after it reached Android's sending limit. Default 30 min: Android allows 30 messages in 30 minutes, unless that was changed on the phone.",
  ),
  wholeNumber(
    'late_after_min',
    35,
    [16, 1_440],
    'Minutes of silence after which a phone without an event stream is degraded: it fetches every 15 min, and may doze.',
  ),
  wholeNumber('offline_after_min', 120, [17, 10_080], 'Minutes of silence after which the phone is offline.'),
  ...visitSettings(),
]

/** Parses settings that were checked by `androidSettings`; missing ones get their default. */
export function readSettings(given: Readonly<Record<string, string>>): AndroidSettings {
  const textOf = (name: string): string =>
    given[name] ?? androidSettings.find((rule) => rule.name === name)?.default ?? ''
  const numberOf = (name: string): number => Number(textOf(name))
  const address = readLocalAddress(textOf('local_address'))
  const lateAfterMs = numberOf('late_after_min') * 60_000
  return {
    simNumbers: simSlots.map((slot) => textOf(`sim_${slot}_number`) || null),
    country: textOf(countrySetting.name) || null,
    simSelection: textOf('sim_selection') === 'rotate' ? 'rotate' : 'phone',
    page: numberOf('page'),
    pingIntervalS: numberOf('ping_interval_s'),
    keepAliveMs: numberOf('keep_alive_s') * 1_000,
    wakeIntervalMs: numberOf('wake_interval_ms'),
    wakeAnswerMs: numberOf('wake_answer_s') * 1_000,
    probeAfterMs: numberOf('probe_after_s') * 1_000,
    drainMs: numberOf('drain_s') * 1_000,
    resyncAfterMs: numberOf('resync_after_s') * 1_000,
    limitRestMs: numberOf('limit_rest_min') * 60_000,
    lateAfterMs,
    offlineAfterMs: Math.max(lateAfterMs, numberOf('offline_after_min') * 60_000),
    local: address === null ? null : { address, user: textOf('local_user'), id: textOf('local_id') },
    visitMs: numberOf('visit_ms'),
    visitIdleMs: numberOf('visit_idle_s') * 1_000,
    inboxDays: numberOf('inbox_days'),
  }
}

const phoneChooses: SimChoice = { simOf: new Map(), turns: [] }

/**
 * Returns the SIMs for messages: those of known numbers, and those that are used in turn. What was set
 * precedes what a phone reported.
 */
export function simChoiceOf(
  { simNumbers, simSelection }: Pick<AndroidSettings, 'simNumbers' | 'simSelection'>,
  seen: readonly { slot: number; number?: string | null }[],
): SimChoice {
  const reported = seen.flatMap(({ slot, number }) => (isE164(number) ? [[number, slot] as const] : []))
  const named = simNumbers.flatMap((number, i) => (number === null ? [] : [[number, i + 1] as const]))
  if (simSelection === 'phone' && reported.length + named.length === 0) return phoneChooses
  const turns = simSelection === 'rotate' ? seen.map(({ slot }) => slot) : []
  return { simOf: new Map([...reported, ...named]), turns }
}

const e164Form = /^\+[1-9]\d{6,14}$/
const isE164 = (number: string | null | undefined): number is string =>
  typeof number === 'string' && e164Form.test(number)

function simNumber(slot: number): SettingRule {
  return {
    name: `sim_${slot}_number`,
    default: '',
    summary: `Number of the SIM in slot ${slot}, in E.164; messages with this sender are sent over this SIM. Empty: the number that the app reports at its start, if the SIM knows its own.`,
    check: (value) =>
      value === '' || isE164(value) ? null : 'needs a number in E.164 such as +4915112345678, or nothing',
  }
}

/** The settings of a phone that onesixty visits. */
function visitSettings(): SettingRule[] {
  return [
    {
      name: 'local_address',
      default: '',
      summary: 'Address of the Local Server of the app, host or host:port, in this network; port 8080 if omitted. When it is set, onesixty visits the phone. Set by device connect android --local.',
      check: (value) => value === '' || readLocalAddress(value) !== null ? null : 'needs host or host:port with a private, link-local or loopback address, or nothing',
    },
    { ...plainText('local_user', 'sms'), summary: "User name of the Local Server; the app's default." },
    { ...plainText('local_id', ''), summary: 'ID of the installation of the app, from the Local Server: messages are submitted only where it is reported. Set by device connect android --local.' },
    wholeNumber('visit_ms', 1_000, [200, 60_000], 'Milliseconds between two visits while a message is open. Default 1 s, because a user waits for the result.'),
    wholeNumber('visit_idle_s', 10, [1, 3_600], 'Seconds between two visits otherwise, and after a failed one. Received messages arrive with this delay; a shorter one fills the log of the app.'),
    wholeNumber('inbox_days', 7, [1, 30], 'How many days of its inbox are compared. Default 7, because networks keep an SMS for a phone that is off for up to a week.'),
  ] // prettier-ignore
}

/** One line of at most 64 printable ASCII characters. */
function plainText(name: string, byDefault: string): Pick<SettingRule, 'name' | 'default' | 'check'> {
  const isFine = (value: string): boolean => /^[\x21-\x7e]{1,64}$/.test(value) || value === byDefault
  return {
    name,
    default: byDefault,
    check: (value) => (isFine(value) ? null : 'needs 1 to 64 printable characters without blanks'),
  }
}

function orNever(
  name: string,
  byDefault: number,
  range: readonly [number, number],
  summary: string,
): SettingRule {
  const rule = wholeNumber(name, byDefault, range, summary)
  return {
    ...rule,
    check: (value) => {
      const wrong = value === '0' ? null : rule.check(value)
      return wrong === null ? null : wrong.replace('needs', 'needs 0 or')
    },
  }
}

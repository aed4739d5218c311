import type { SimChoice } from '../connector.ts'
import { countrySetting, oneOf, type SettingRule, wholeNumber } from '../setting-rules.ts'

/** What an operator has set of a phone, as its parts take it. */
export interface AndroidSettings {
  /** The numbers of its SIMs by slot, from 1; null where none was named. */
  simNumbers: readonly (string | null)[]
  /** Whose national numbers its SIMs have; null where nobody has said so. */
  country: string | null
  simSelection: 'phone' | 'rotate'
  page: number
  /** 0 leaves the ping off. */
  pingIntervalS: number
  keepAliveMs: number
  wakeIntervalMs: number
  wakeAnswerMs: number
  /** 0 is never. */
  probeAfterMs: number
  drainMs: number
  resyncAfterMs: number
  limitRestMs: number
  lateAfterMs: number
  offlineAfterMs: number
}

const simSlots = [1, 2, 3] as const

/** Every setting of a phone, with the check of its value. */
export const androidSettings: readonly SettingRule[] = [
  ...simSlots.map((slot) => simNumber(slot)),
  countrySetting,
  oneOf(
    'sim_selection',
    ['phone', 'rotate'],
    'Which SIM sends a message that names none: `phone` leaves it to the app, `rotate` takes the one that has sent least.',
  ),
  wholeNumber(
    'page',
    20,
    [1, 100],
    'Messages that the phone may hold without having said so. What it holds cannot go to another phone; 20 is a few minutes of its pace.',
  ),
  orNever(
    'ping_interval_s',
    600,
    [60, 86_400],
    'Seconds between two pings of the app, which tell its battery and its network; 0 switches them off. 10 min, since each one costs battery. Takes effect when the app is started anew.',
  ),
  wholeNumber(
    'keep_alive_s',
    15,
    [5, 60],
    'Seconds between two signs of life on an event stream; proxies end a silent one after 60 s.',
  ),
  wholeNumber(
    'wake_interval_ms',
    2_000,
    [1_000, 60_000],
    'Milliseconds, at least, between two events that tell the phone to fetch, or half of them once it has followed the last: each one makes it break off the fetch that it is at.',
  ),
  wholeNumber(
    'wake_answer_s',
    10,
    [2, 300],
    'Seconds in which it fetches when told to. After two that it did not answer, its event stream counts as dead.',
  ),
  orNever(
    'probe_after_s',
    300,
    [60, 86_400],
    'Seconds of silence after which it is told to fetch, to see whether it lives; 0 is never. 5 min, since a dead connection is not noticed in another way.',
  ),
  wholeNumber(
    'drain_s',
    30,
    [5, 600],
    'Seconds after which an event stream that takes no more bytes counts as dead.',
  ),
  wholeNumber(
    'resync_after_s',
    600,
    [60, 43_200],
    'Seconds without a word of a message that the phone holds, after which it is asked for it again. 10 min: some networks take so long.',
  ),
  wholeNumber(
    'limit_rest_min',
    30,
    [1, 1_440],
    'Minutes for which the phone gets nothing more after Android has refused one as too many. 30 min: Android counts 30 messages in 30 minutes, unless that was changed on the phone.',
  ),
  wholeNumber(
    'late_after_min',
    35,
    [16, 1_440],
    'Minutes of silence after which a phone without an event stream is degraded: it fetches every 15 min, and dozes.',
  ),
  wholeNumber('offline_after_min', 120, [17, 10_080], 'Minutes of silence after which it is offline.'),
]

/** Reads settings that were checked by `androidSettings`; those left out have their default. */
export function readSettings(given: Readonly<Record<string, string>>): AndroidSettings {
  const textOf = (name: string): string =>
    given[name] ?? androidSettings.find((rule) => rule.name === name)?.default ?? ''
  const numberOf = (name: string): number => Number(textOf(name))
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
  }
}

const phoneChooses: SimChoice = { simOf: new Map(), turns: [] }

/** The SIMs that messages go over: those of known numbers, and in turn those that the phone has. What was set goes before what a phone has told. */
export function simChoiceOf(
  { simNumbers, simSelection }: Pick<AndroidSettings, 'simNumbers' | 'simSelection'>,
  seen: readonly { slot: number; number?: string | null }[],
): SimChoice {
  const told = seen.flatMap(({ slot, number }) => (isE164(number) ? [[number, slot] as const] : []))
  const named = simNumbers.flatMap((number, i) => (number === null ? [] : [[number, i + 1] as const]))
  if (simSelection === 'phone' && told.length + named.length === 0) return phoneChooses
  const turns = simSelection === 'rotate' ? seen.map(({ slot }) => slot) : []
  return { simOf: new Map([...told, ...named]), turns }
}

const e164Form = /^\+[1-9]\d{6,14}$/
const isE164 = (number: string | null | undefined): number is string =>
  typeof number === 'string' && e164Form.test(number)

function simNumber(slot: number): SettingRule {
  return {
    name: `sim_${slot}_number`,
    default: '',
    says: `The number of the SIM in slot ${slot}, in E.164; messages with it as their sender go by this SIM. Empty is the one that the app tells at its start, if the SIM knows its own.`,
    check: (value) =>
      value === '' || isE164(value) ? null : 'needs a number in E.164 such as +4915112345678, or nothing',
  }
}

function orNever(
  name: string,
  byDefault: number,
  range: readonly [number, number],
  says: string,
): SettingRule {
  const rule = wholeNumber(name, byDefault, range, says)
  return {
    ...rule,
    check: (value) => {
      const wrong = value === '0' ? null : rule.check(value)
      return wrong === null ? null : wrong.replace('needs', 'needs 0 or')
    },
  }
}

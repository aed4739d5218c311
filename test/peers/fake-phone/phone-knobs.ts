import type { Span } from '../seeded-random.ts'

/**
 * What becomes of an SMS of which the phone's radio is told.
 * `delivered` and `sent` are the usual two (`sent` stays so: no report comes); `missing-sent` is delivered without ever being
 * called sent; `hang` stays processed for ever; `regress` is delivered and then called sent once more; `failed` is refused by
 * the radio (generic failure); `no-service` is refused because there is no network; `exception` is refused by Android before the
 * radio has heard of it; `undelivered` is sent and then refused by its delivery report.
 */
export type RadioOutcome =
  | 'delivered'
  | 'sent'
  | 'missing-sent'
  | 'hang'
  | 'regress'
  | 'failed'
  | 'no-service'
  | 'exception'
  | 'undelivered'

/** A SIM as the phone knows it; what it tells of it at registration is masked. */
export interface SimCard {
  slotIndex: number
  phoneNumber?: string
  carrierName?: string
  iccid?: string
}

/** How a phone is made and what goes wrong with it. Waits are in the phone's time; a chance is from 0 to 1. */
export interface PhoneKnobs {
  /** So many seconds of the phone's waits pass in one. Its wall clock and its network time-outs are not scaled. */
  timeScale: number
  /** Of the app; it says it as its user agent and does what that version does. */
  appVersion: string
  /** How it hears of news: an event stream, Google's push (it registers with a push token), or only when it asks by itself. */
  channel: 'sse' | 'push' | 'poll'
  /** It begins with the registration of another server. */
  foreignToken: boolean
  name: string
  simCards: SimCard[]
  /** As glued to its dates: `+03:00`, or as an Android before 7 writes it west of Greenwich: `+-5:00`. */
  zone: string
  clockOffsetMs: number
  /** `app` reads every digit after the point as milliseconds, as the app does; `iso` reads fractions right. */
  dateParser: 'app' | 'iso'
  /** Event streams that it opens at each registration; a second one is what a doubled service start makes. */
  streams: number
  /** It reads nothing from its event streams, and does not close them. */
  halfOpen: boolean
  pollEveryMs: number
  /** What its user typed under Ping; what the server pushes comes before, after the next start. */
  pingEveryS: number | null
  /** Between a change of state and its report. */
  reportJitterMs: Span
  /** Chance that a report is held back after it was made up, so that younger ones overtake it. */
  reportReorder: number
  /** Chance that a report is sent twice. */
  reportDuplicate: number
  /** One for all, or the weight of each. */
  outcome: RadioOutcome | Partial<Record<RadioOutcome, number>>
  /** By recipient, before `outcome`. */
  outcomeOf: Record<string, RadioOutcome>
  sentAfterMs: Span
  deliveredAfterMs: Span
  /** The phone's own pace keeps everything back: nothing goes to the radio, all stays Pending. */
  holdPending: boolean
  /** Chance that what a webhook tells is told again under a new envelope id. */
  webhookDouble: number
  /** Real time: what OkHttp waits for a connection, for bytes and for a slot to write. */
  requestTimeoutMs: number
  /** Real time. */
  webhookTimeoutMs: number
  /** Real time: without a byte for so long a stream counts as ended. */
  streamReadTimeoutMs: number
  /** What `system:ping` tells. */
  batteryPercent: number
  isCharging: boolean
  /** It has a server configured, at which it registers. */
  isCloudOn: boolean
  /** Where its Local Server listens, 0 for a free port; null: that is off. Read at the start of the app. */
  localPort: number | null
  localUser: string
  /** As its user typed it; null: drawn at random by the app. Read when the app is installed. */
  localPassword: string | null
  /** What is wrong with the Local Server; see `LocalFault`. */
  localFault: LocalFault
  /** Only requests of this method have it; null: all. */
  localFaultOn: string | null
  /** Chance that a request has it. */
  localFaultRate: number
  /** Real time that each answer takes. */
  localDelayMs: number
}

/**
 * `asleep` answers nothing, and does what it was asked when it wakes up; `cut-before` closes the connection unheard; `cut-after` does what it was asked and
 * closes the connection, `cut-new` only where the answer would be 202; `error` answers 500.
 */
export type LocalFault = 'none' | 'asleep' | 'cut-before' | 'cut-after' | 'cut-new' | 'error'

export const defaultKnobs: PhoneKnobs = {
  timeScale: 1,
  appVersion: '1.68.0',
  channel: 'sse',
  foreignToken: false,
  name: 'samsung/a12',
  simCards: [
    { slotIndex: 0, phoneNumber: '+4915550001234', carrierName: 'Telco', iccid: '8949000000000000001' },
  ],
  zone: '+03:00',
  clockOffsetMs: 0,
  dateParser: 'app',
  streams: 1,
  halfOpen: false,
  pollEveryMs: 900_000,
  pingEveryS: null,
  reportJitterMs: [0, 500],
  reportReorder: 0,
  reportDuplicate: 0,
  outcome: 'delivered',
  outcomeOf: {},
  sentAfterMs: [500, 5_000],
  deliveredAfterMs: [1_000, 30_000],
  holdPending: false,
  webhookDouble: 0,
  requestTimeoutMs: 10_000,
  webhookTimeoutMs: 5_000,
  streamReadTimeoutMs: 3_600_000,
  batteryPercent: 80,
  isCharging: true,
  isCloudOn: true,
  localPort: null,
  localUser: 'sms',
  localPassword: null,
  localFault: 'none',
  localFaultOn: null,
  localFaultRate: 1,
  localDelayMs: 0,
}

/** The knobs with some of them turned; refuses a name that no knob has. */
export function turnKnobs(knobs: PhoneKnobs, change: Partial<PhoneKnobs>): PhoneKnobs {
  for (const name of Object.keys(change)) {
    if (!(name in defaultKnobs)) throw new Error(`A phone has no knob ${name}.`)
  }
  return { ...knobs, ...change }
}

/** Whether the app is of that version or a later one. */
export function isSince(appVersion: string, version: string): boolean {
  const [ours, asked] = [appVersion, version].map((text) => text.split('.').map(Number)) as [
    number[],
    number[],
  ]
  for (const [place, least] of asked.entries()) {
    const has = ours[place] ?? 0
    if (has !== least) return has > least
  }
  return true
}

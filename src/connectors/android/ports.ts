import type { Inbound } from '../connector.ts'
import type { Phone } from './phone.ts'

/**
 * What the routes of the phones need of the service. `src/app/phones.ts` gives them; a phone is known by its token, and each call says whose phone it
 * is by the registration that the token named.
 */
export interface PhonePorts {
  /** Makes a phone of whoever shows a private token; settles when its device runs. Null: the token is not known, or was revoked. */
  register(privateToken: string, said: SaidByApp): Promise<Registered | null>
  /** Whose token this is. Null: nobody's any more. */
  identify(deviceToken: string): Promise<Registration | null>
  /** Whose hook address this is. Null: nobody's any more. */
  identifyHook(hookSecret: string): Promise<Registration | null>
  /** What an app says of itself at each start. */
  update(registration: Registration, said: SaidByApp): Promise<void>
  /** Claims what there is room for, and gives that and everything that the phone has not said to have. Flushed when it settles. */
  offer(registration: Registration): Promise<Offer[]>
  /** Settles when it is stored, with those that told something new: no repetitions, and none of attempts that are not this phone's. */
  report(registration: Registration, reports: readonly Report[]): Promise<readonly Report[]>
  /** What `sms:sent` tells beside: the SIM, and how many parts the phone made; null where it says nothing of them. */
  sentOver(
    registration: Registration,
    sent: { attemptId: string; sim: number | null; parts: number | null },
  ): Promise<void>
  inbound(registration: Registration, inbound: Inbound): Promise<void>
  /** Something came that could not be read and is passed over. `form` is what it looks like, without a number, a text or a name of anybody. */
  unread(registration: Registration, kind: 'event' | 'message' | 'report', form: string): void
  /** More waits for the phone than it was just given, and it may have it now. */
  hasMore(registration: Registration): Promise<boolean>
  /** The running device, or null while it is disabled or the pool has not caught up. */
  phone(deviceId: string): Phone | null
}

/** What an app says of itself when it registers or starts. */
export interface SaidByApp {
  /** `<manufacturer>/<product>`; null in an update. */
  name: string | null
  sims: readonly SaidSim[] | null
  /** It gave a Google push token, and so opens no event stream. */
  usesPush: boolean
  /** From the User-Agent; null when it says none. */
  appVersion: string | null
}

/** Masked by the app: all but the last four characters are `*`. `slot` from 1. */
export interface SaidSim {
  slot: number
  number: string | null
  carrier: string | null
  iccid: string | null
}

export interface Registration {
  phoneId: string
  deviceId: string
  /** What the app shows as its login. */
  accountName: string
  signingKey: string
  /** The last part of the addresses that the phone calls by itself. */
  hookSecret: string
  appVersion: string | null
  usesPush: boolean
  /** Null: it has said nothing of them. */
  sims: readonly SaidSim[] | null
  /** As they were set, by slot from 1; null where none was. */
  simNumbers: readonly (string | null)[]
  /** Whose national numbers its SIMs have; null where nobody has said so. */
  country: string | null
}

export interface Registered {
  phoneId: string
  /** In clear, once. */
  deviceToken: string
  accountName: string
  /** Null when it was removed since. */
  registration: Registration | null
}

/** A message that the phone may send, or is to cancel. */
export interface Offer {
  attemptId: string
  to: string
  text: string
  sim: number | null
  /** A whole number from 0; the smaller goes first. */
  priority: number
  createdAt: number
  /** By our clock. */
  validUntil: number
  state: 'pending' | 'cancelling'
}

/** What a phone says of one attempt. */
export interface Report {
  attemptId: string
  state: 'pending' | 'processed' | 'sent' | 'delivered' | 'failed' | 'canceled'
  /** Its words for a failure. */
  error: string | null
  /** When it was sent and delivered, by its clock in our time; left out where it does not say. */
  sentAt?: number
  deliveredAt?: number
}

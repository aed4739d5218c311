import type { Inbound } from '../connector.ts'
import type { Phone } from './phone.ts'

/**
 * What the routes of the phones need from the service; `src/app/phones.ts` implements it. A phone is
 * identified by its token, and each call gets the registration of that token.
 */
export interface PhonePorts {
  /**
   * Registers a phone that presents a private token; settles when its device runs. Null: the token is unknown
   * or revoked.
   */
  register(privateToken: string, said: SaidByApp): Promise<Registered | null>
  /** Returns the registration of a token; null if it has none any more. */
  identify(deviceToken: string): Promise<Registration | null>
  /** Returns the registration of a hook address; null if it has none any more. */
  identifyHook(hookSecret: string): Promise<Registration | null>
  /** Stores what an app reports about itself at each start. */
  update(registration: Registration, said: SaidByApp): Promise<void>
  /**
   * Claims what there is room for; returns that and everything that the phone has not acknowledged. Flushed
   * when it settles.
   */
  offer(registration: Registration): Promise<Offer[]>
  /**
   * Settles when the reports are stored, with those that changed something: neither repetitions nor reports
   * about other phones' attempts.
   */
  report(registration: Registration, reports: readonly Report[]): Promise<readonly Report[]>
  /** Stores what `sms:sent` also reports: the SIM, and the number of parts; null if it reports neither. */
  sentOver(
    registration: Registration,
    sent: { attemptId: string; sim: number | null; parts: number | null },
  ): Promise<void>
  inbound(registration: Registration, inbound: Inbound): Promise<void>
  /**
   * Records something that could not be parsed and is ignored. `form` describes its shape, without any
   * number, text or name.
   */
  unparsed(registration: Registration, kind: 'event' | 'message' | 'report', form: string): void
  /** Returns whether more is queued for the phone than it was just given, and it may have it now. */
  hasMore(registration: Registration): Promise<boolean>
  /** Returns the running device; null while it is disabled or the pool has not caught up. */
  phone(deviceId: string): Phone | null
}

/** What visits to a phone need: the service plays its part of the same calls. */
/** A visited phone as it is stored, by one statement. */
export interface Visited {
  registration: Registration
  /** When the device was added. */
  connectedAt: number
  /** The installation that the registration is for: only this one may be given its messages. */
  localId: string | null
}

export interface VisitPorts extends Pick<PhonePorts, 'update' | 'offer' | 'report' | 'inbound' | 'hasMore'> {
  /** Reads the registration of a device, never from a cache; null while it has none. */
  visited(deviceId: string): Promise<Visited | null>
  /** Returns the attempts that the phone was offered in the last 12 h and that are not finished. */
  held(registration: Registration): Promise<readonly string[]>
}

/** What an app reports about itself when it registers or starts. */
export interface SaidByApp {
  /** `<manufacturer>/<product>`; null in an update. */
  name: string | null
  sims: readonly SaidSim[] | null
  /** It sent a Google push token, and so opens no event stream. */
  usesPush: boolean
  /** From the User-Agent; null when it names none. */
  appVersion: string | null
}

/** Masked by the app: all characters except the last four are `*`. `slot` from 1. */
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
  /** The last path segment of the addresses that the phone calls. */
  hookSecret: string
  appVersion: string | null
  usesPush: boolean
  /** Null: not reported. */
  sims: readonly SaidSim[] | null
  /** As set, by slot from 1; null where none was. */
  simNumbers: readonly (string | null)[]
  /** The country whose national numbers its SIMs have; null if not set. */
  country: string | null
}

export interface Registered {
  phoneId: string
  /** In clear text, only once. */
  deviceToken: string
  accountName: string
  /** Null if it was removed since. */
  registration: Registration | null
}

/** A message that the phone may send, or must cancel. */
export interface Offer {
  attemptId: string
  to: string
  text: string
  sim: number | null
  /** A whole number from 0; smaller ones are sent first. */
  priority: number
  createdAt: number
  /** By our clock. */
  validUntil: number
  state: 'pending' | 'cancelling'
  /** It was offered before, so the phone may have it. Omitted: unknown. */
  isAgain?: boolean
  /** The phone has acknowledged it: it must not be submitted again as a new one. */
  wasAcknowledged?: boolean
}

/** What a phone reports about one attempt. */
export interface Report {
  attemptId: string
  state: 'pending' | 'processed' | 'sent' | 'delivered' | 'failed' | 'canceled'
  /** The phone's text for a failure. */
  error: string | null
  /** When it was sent and delivered, by the phone's clock in server time; omitted when not reported. */
  sentAt?: number
  deliveredAt?: number
}

import type { CodedText } from '../sms/coded-text.ts'
import type { ConnectorTools, LocalDevices, PortDevices, Trial } from './connector-tools.ts'
import type { Health } from './health.ts'
import type { PastSubmission } from './past-submission.ts'
import type { AcceptedSettings, SettingRule } from './setting-rules.ts'
import type { SimChoice } from './sim-choice.ts'

/**
 * The interface between the service and the devices that carry its messages. A connector knows its device and
 * nothing about accounts, balances or tables; the dispatcher knows nothing about protocols. There are two
 * kinds: messages are submitted to a link, a pull (phones) fetches them.
 */

/** One attempt to submit one message. It is flushed to the database before the connector gets it. */
export interface Submission {
  attemptId: string
  to: string
  /** The requested sender, or null when the device chooses. */
  from: string | null
  text: string
  encoding: 'gsm7' | 'ucs2'
  parts: number
  category: 'transactional' | 'authentication' | 'marketing'
  /** The rest of its validity, in whole seconds, at least 1. */
  validitySeconds: number
  /**
   * The same, exactly; nothing is sent after it, though it may end before a last second. Omitted: the whole
   * seconds.
   */
  validityMs?: number
  /** Whether the recipient has opted out since; null while unknown. A retry checks it first (P9). Omitted: never. */
  hasOptedOut?(): Promise<boolean | null>
  /** The same as far as it is known now: what has waited for room checks it before it is sent. */
  isKnownOptedOut?(): boolean
}

/** Why a device did not accept a message. */
export interface RefusalReason {
  /**
   * `good`: permanent; `now`: may work later or elsewhere, counted; `busy`: throttled, not counted;
   * `expired`: too late.
   */
  lasts: 'good' | 'now' | 'busy' | 'expired'
  /** A code of messages/message-errors.ts. */
  code: string
  /** The raw value of the device or network. */
  networkCode: string | null
  /** Concerns only this recipient, as far as is known (a handset with a full queue): messages to others go first. */
  recipientAlone?: true
  /** It may concern the recipient as well as the device, such as one that is unreachable. */
  mayBeRecipient?: true
  /** Concerns the device or its SIM, not the message: the network may accept from another what it rejects here. */
  deviceAlone?: true
  /** A limit of the device itself: until its `limitRestMs` are over, more is refused too. */
  limitReached?: true
}

/** Whether the network reports on what it accepted. */
export interface ReceiptsToCome {
  receiptExpected: boolean
  /** Only failures are reported: without a report a message stays `sent`. */
  failuresReported?: true
}

/**
 * The outcome of a submission.
 * - `accepted`: the network accepted every part. `networkIds`, one per part, match its receipts; `sentAt` is
 * when, if the device reports it later.
 * - `refused`: certainly nothing was submitted.
 * - `partial`: some parts were accepted, the rest was refused permanently.
 * - `unavailable`: the device was unreachable, and certainly nothing was submitted.
 * - `unknown`: it may or may not have been submitted (`partsTaken` certainly were).
 */
export type Outcome =
  | ({ kind: 'accepted'; networkIds: readonly string[]; sentAt?: number } & ReceiptsToCome)
  | ({ kind: 'refused' } & RefusalReason)
  | ({ kind: 'partial'; networkIds: readonly string[]; partsTaken: number } & ReceiptsToCome &
      Pick<RefusalReason, 'code' | 'networkCode'>)
  | { kind: 'unavailable'; detail: string }
  | {
      kind: 'unknown'
      networkIds: readonly string[]
      partsTaken: number
      detail: string
      /** Which parts, from 0, may have been accepted, of how many; omitted: each that is not known to be. */
      unknownParts?: { parts: readonly number[]; wireParts: number }
      /** The connection ended, as the link knows: this is no evidence of an unresponsive device. */
      connectionLost?: true
      /** The device reported a failure that does not show whether anything was sent; its raw value, null if none. */
      answered?: { networkCode: string | null }
      /** See `RefusalReason`. */
      limitReached?: true
    }

/** The network's later report on one part. `lost` means that no receipt will arrive any more. */
export interface Receipt {
  networkId: string
  /** The network sent no ID, and `networkId` replaces it: `reference` and `numbers` identify the part. */
  hasNoId?: true
  /** Other readings of the ID, likeliest first: tried in turn if `networkId` matches nothing. Each differs from it. */
  alternatives?: readonly string[]
  /** If no ID matches exactly, the case is ignored, provided that only one part matches. */
  anyCase?: true
  /** Numbers as the network wrote them, one of which is the recipient's: IDs are reused, and then these decide. */
  numbers?: readonly string[]
  /** It contains the number of only one side, which may be the sender's. */
  isOneSided?: true
  /** The `referenceOfPart` that was sent with the part, as the network returned it. */
  reference?: number
  /** When the network claims to have accepted the part: to the minute, unknown time zone, parsed as UTC. */
  submittedAt?: number
  /** It covers this many parts, or all of its message, and not only its own part. */
  covers?: number | 'all'
  result: 'delivered' | 'undelivered' | 'lost'
  /** A code of messages/message-errors.ts; null with `delivered`. */
  code: string | null
  networkCode: string | null
}

/** An SMS that the device received. */
export interface Inbound {
  /** With a plus sign if the network marks it as an international number. */
  from: string
  /**
   * What else the network reports about the sender: `national` is a number to be dialled only within its
   * country, `other` is no subscriber's (a name, a short code), `bare` are the digits from a device that
   * writes a plus wherever it knows of one. Omitted if unknown.
   */
  fromIs?: 'national' | 'bare' | 'other'
  to: string | null
  text: string
  /** When the network received it, by its own account; null if the device does not report it. */
  networkAt: number | null
  /** The network ID of the part that it replies to, if known; determines the inbox on a shared device. */
  inReplyTo: string | null
  /** The attempt that sent that part: its outcome may not be stored yet. */
  inReplyToAttempt?: string
  /** Distinguishes repeats of one SMS from new ones. */
  fingerprint: string
  /** The network does not number what it delivers: a new SMS may have the fingerprint of an earlier one. */
  fingerprintGuessed?: true
  /** Its name if it arrived before; stored after this instant, it is the same SMS. */
  formerFingerprint?: { name: string; afterMs: number }
  /**
   * Names of the same SMS in other reports, which may contain less. It is a duplicate if a name that it
   * `looksFor` was kept by another report, or is its fingerprint. A name that ends in `/` matches any that
   * begin with it. Each is matched only once: the next SMS with the same text is another one.
   */
  toldOtherwise?: { keeps: readonly string[]; looksFor: readonly string[] }
  /**
   * A part of a long message, as its sender numbered it; `index` from 1. Parts are joined when all have
   * arrived: by `coded`, where a character may be split between two, otherwise by their texts.
   */
  fragment?: { reference: number; total: number; index: number; coded?: CodedText }
}

export interface Capabilities {
  deliveryReports: boolean
  maxParts: number
  /** Its sender can be chosen, also a name or a short code; otherwise it sends under its own numbers. */
  alphanumericSender: boolean
  /** Whether a text is sent as GSM-7 or UCS-2 can be chosen; otherwise it depends on the text. */
  encodingChoice: boolean
  /** By its settings it only receives: nothing is ever submitted to it. */
  receivesOnly?: true
}

/** Events of a connector. Each promise settles when the event is stored; after a rejection the connector retries. */
export interface ConnectorEvents {
  receipt(receipt: Receipt): Promise<void>
  inbound(inbound: Inbound): Promise<void>
  /** Reports the outcome of a submission that had been `unknown`. */
  lateOutcome(attemptId: string, outcome: Outcome): Promise<void>
  /** The health changed: the dispatcher reads it again. */
  healthChanged(): void
}

/** A device for its connector: checked `settings`, missing ones with their default, and `secrets` in clear text. */
export interface DeviceSetup {
  id: string
  name: string
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}

/** A running device, regardless of how its messages reach it. */
export interface Running {
  readonly capabilities: Capabilities
  /**
   * Maximum submissions in flight (phone: held without ack); never exceeded. May change; read before each claim.
   * Reading a window without room arms the link's wake-up, which reports when there is room again.
   */
  readonly window: number
  health(): Health
  /** The same, at most a second old where only time has changed it: for looks at many devices at once. Omitted: `health`. */
  standing?(): Health
  start(): Promise<void>
  /** Applies new settings to a running device; returns false if it must be recreated. */
  applySettings?(settings: Readonly<Record<string, string>>): boolean
  /** No new submits follow; settles when every one in flight has settled and the device is released. */
  stop(): Promise<void>
}

/** A device that messages are submitted to: SMPP, modem, simulator. */
export interface Link extends Running {
  /** Parts per second that the peer accepts, as far as is known; Infinity without a limit. */
  readonly perSecond?: number
  /** How many messages beyond the window may be claimed, ready to be submitted when it has room. Omitted: none. */
  readonly ahead?: number
  /** Submissions that only wait to submit some of their parts again, with nothing in flight. Omitted: none. */
  readonly waiting?: number
  /** Submits a message. Never throws; settles within its timeout, if need be as `unknown`. Called once per attempt. */
  submit(submission: Submission): Promise<Outcome>
  /** No new submits follow, and a caller waits: those that only wait to submit parts again settle soon. */
  hurry?(): void
  /**
   * The expected receipts distinguish what its peer delivers right after the bind: the link needs the latest
   * of them, `most`, before it starts. If only failures are reported, expired ones count, too.
   */
  readonly resumesFirst?: { most: number; failuresReported?: boolean }
  /** Receives the receipts still expected: in pages after a start, if it can query them, or all before it. */
  resume?(expected: readonly { networkId: string }[]): void
  /**
   * Receives, after a start, the submissions of former links whose outcome is unknown, the newest first. What it finds out
   * about them it reports as their `lateOutcome`.
   */
  resumeUnknown?(submissions: readonly PastSubmission[]): void
}

/**
 * A device that fetches its messages: a phone. Nothing is submitted to it; messages are claimed when it asks,
 * and offered again under the same ID until it acknowledges them.
 */
export interface Pull extends Running {
  /** One node at a time runs it, under a lease: it is visited. Omitted: any node may serve it. */
  readonly leased?: true
  /** May change; read before each claim. Each SIM has the rate limit of the device for itself. */
  readonly sims: SimChoice
  /** How long a limit of the device itself lasts, once it was reached. */
  readonly limitRestMs: number
  /** Something is queued that this device may carry. Only an optimisation: it also polls by itself. */
  wake(): void
  /** Notifies it, if possible, that an attempt must be canceled. Its response is a report like any other. */
  recall(attemptId: string): void
  /** Its device was disabled, and may be enabled again: meanwhile it only gets recalls. */
  rest(isResting: boolean): void
  /** After a start, before its first contact: applies what was last known of it. */
  remember(
    known: Pick<Health, 'lastSeenAt' | 'contact' | 'appVersion' | 'battery' | 'network' | 'sims'> & {
      link: string
    },
  ): void
}

/** Returns whether the device fetches its messages. */
export const isPull = (device: Link | Pull): device is Pull => 'wake' in device

/** Returns the health of a device for a look at many. */
export const standingOf = (device: Link | Pull): Health => device.standing?.() ?? device.health()

/** A kind of device. */
export interface ConnectorKind<Device extends Link | Pull = Link | Pull> {
  kind: string
  settings: readonly SettingRule[]
  secretNames: readonly string[]
  /** Those of `secretNames` that a device must have. */
  requiredSecrets?: readonly string[]
  /** What one device with these settings accepts, where that differs from device to device. */
  rulesFor?(settings: Readonly<Record<string, string>>): AcceptedSettings
  /** Its devices send only under numbers of their own. Goes with `alphanumericSender`. */
  ownNumbersOnly?: true
  createLink(setup: DeviceSetup, tools: ConnectorTools, events: ConnectorEvents): Device
  /** Returns the name of the only node that can run a device, such as the one with its port; null: any node can. */
  runsOn?(settings: Readonly<Record<string, string>>): string | null
  /**
   * Reads from a device, as it is added, the settings by which it is recognised later; `node` is the name of this one,
   * null if it runs no devices. Never throws: what cannot be read is omitted.
   */
  identify?(
    setup: DeviceSetup,
    tools: ConnectorTools,
    node: string | null,
  ): Promise<Readonly<Record<string, string>>>
  /** Its devices can be visited in this network. */
  local?: LocalDevices
  /** Its devices are at ports of this machine. */
  ports?: PortDevices
  /** Tests whether the peer accepts the connection, and sends nothing; for a device that does not run at the moment. */
  tryOut?(setup: DeviceSetup, tools: ConnectorTools): Promise<Trial>
}

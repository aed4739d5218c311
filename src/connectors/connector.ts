import type { CodedText } from '../sms/coded-text.ts'
import type { ConnectorTools } from './connector-tools.ts'
import type { SettingRule } from './setting-rules.ts'

/**
 * The seam between the service and what carries its messages. A connector knows its device and nothing of accounts, money or
 * tables; the dispatcher knows nothing of protocols. Two shapes: a link is handed messages, a pull (phones) fetches them.
 */

/** One attempt to hand one message over. It is flushed to the database before the connector sees it. */
export interface Submission {
  attemptId: string
  to: string
  /** The sender asked for, or null when the device chooses. */
  from: string | null
  text: string
  encoding: 'gsm7' | 'ucs2'
  parts: number
  category: 'transactional' | 'authentication' | 'marketing'
  /** The rest of its validity, in whole seconds, at least 1. */
  validitySeconds: number
  /** The same as it is: what is left of a last second is less than the one that is said, and nothing leaves behind it. Left out: the whole seconds. */
  validityMs?: number
  /** Whether the recipient has opted out since; null while nobody can say. What is tried again asks before (P9). Left out: never. */
  hasStopped?(): Promise<boolean | null>
  /** The same as far as it is known at once: what has waited for room asks before it leaves. */
  hasJustStopped?(): boolean
}

/** Why a device would not take a message. */
export interface RefusalReason {
  /** `good`: never again, `now`: later or elsewhere, counted; `busy`: throttled, not the message's fault, not counted; `expired`: validity ended at the device. */
  lasts: 'good' | 'now' | 'busy' | 'expired'
  /** A code of messages/message-errors.ts. */
  code: string
  /** The raw value of the device or network. */
  networkCode: string | null
  /** It is about this recipient, as far as anybody knows, such as a handset whose queue is full: what goes to others goes first. */
  recipientAlone?: true
  /** It may be about this recipient as well as about the device, such as one that could not be reached. */
  mayBeRecipient?: true
  /** It is mostly about the device or its SIM, whatever the message: what the network refuses to one it may take from another. */
  deviceAlone?: true
  /** A limit that the device keeps by itself: until its `limitRestMs` are over, more is refused too. */
  limitReached?: true
}

/** Whether the network tells more of what it took. */
export interface ReceiptsToCome {
  receiptExpected: boolean
  /** Only what does not arrive is reported: a message is `sent` for good, unless that comes. */
  failuresTold?: true
}

/**
 * What became of a hand-over.
 * - `accepted`: the network took every part. `networkIds`, one for each wire part, find its receipts; `sentAt` is when, where the device tells it later.
 * - `refused`: certainly nothing was submitted.
 * - `partial`: some parts were taken, the rest refused for good.
 * - `unavailable`: the device could not be reached and certainly nothing was submitted.
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
      /** Which wire parts, from 0, may have been taken, and how many there are; without it every part that is not known to be. */
      inDoubt?: { parts: readonly number[]; wireParts: number }
      /** The connection ended, and the link knows it: that says nothing of whether the device answers. */
      connectionLost?: true
      /** It did answer, with a failure that does not tell whether anything was sent; its raw value, null where it has none. */
      answered?: { networkCode: string | null }
      /** See `RefusalReason`. */
      limitReached?: true
    }

/** The network's later word on one wire part. `lost` says that no receipt will come any more. */
export interface Receipt {
  networkId: string
  /** The network named no id, and `networkId` stands for one: `reference` and `numbers` tell what it is about. */
  hasNoId?: true
  /** What else the id may read as, likeliest first: tried in turn when nobody waits for `networkId`. Each is another string than it. */
  alternatives?: readonly string[]
  /** Where nobody waits for it as it stands, the id counts whatever its case, if that can be one part alone. */
  anyCase?: true
  /** Numbers as the network wrote them, one of which is the recipient's: ids are used again, and then these tell. */
  numbers?: readonly string[]
  /** It named the number of one end alone, which may be the sender's. */
  isOneSided?: true
  /** The `referenceOfPart` that went out with the part, as the network sent it back. */
  reference?: number
  /** When the network says to have taken the part: to the minute, and by the clock of a time zone that nobody knows, read as if it were UTC. */
  submittedAt?: number
  /** It speaks of so many wire parts, or of all of its message, and not of its own part alone. */
  covers?: number | 'all'
  result: 'delivered' | 'undelivered' | 'lost'
  /** A code of messages/message-errors.ts; null with `delivered`. */
  code: string | null
  networkCode: string | null
}

/** An SMS that reached the device. */
export interface Inbound {
  /** With a plus sign where the network says that it is an international number. */
  from: string
  /**
   * What else the network says of the sender: `national` is a number to be dialled within its country alone, `other` is none of a subscriber (a
   * name, a short code), `bare` are the digits of a device that writes a plus wherever it knows of one. Left out where it does not tell.
   */
  fromIs?: 'national' | 'bare' | 'other'
  to: string | null
  text: string
  /** When the network had it, by its own word; null where the device does not tell. */
  receivedAt: number | null
  /** The attempt it answers, where the device can tell; decides whose inbox it is on a shared device. */
  inReplyTo: string | null
  /** Tells repeats of one SMS apart from new ones. */
  fingerprint: string
  /** The network does not number what it brings: a new SMS may have the fingerprint of one before. */
  fingerprintGuessed?: true
  /** What it was named if it came before; stored after this instant, it is the same SMS. */
  formerFingerprint?: { name: string; afterMs: number }
  /**
   * Names that stand for the same SMS where less was told of it: it is stored before when one that it `looksFor` was kept by another telling, or is its
   * fingerprint. One that ends in `/` stands for whatever begins so. What was found once is nobody else's: the next SMS of the same words is another.
   */
  toldOtherwise?: { keeps: readonly string[]; looksFor: readonly string[] }
  /**
   * A piece of a long message, as its sender numbered it; `index` from 1. Pieces are joined when all are there: by `coded`, where a character may be cut
   * between two, else by their texts.
   */
  part?: { reference: number; total: number; index: number; coded?: CodedText }
}

/** What a device says of itself. Groups that it cannot tell are null. */
export interface Health {
  status: 'pending' | 'online' | 'degraded' | 'offline'
  /** Machine-readable, worst first: not_registered, no_sim, contact_late, battery_low, repeated_failures, … */
  reasons: readonly string[]
  /** Nothing of what it was given could be sent now, such as by a phone without a SIM: what others can carry is not for it. */
  cannotSend?: true
  link: 'stream' | 'poll' | 'push' | 'session' | 'none'
  lastSeenAt: number | null
  nextContactExpectedBy: number | null
  appVersion: string | null
  battery: { percent: number; charging: boolean; at: number } | null
  network: {
    registered: boolean | null
    roaming: boolean | null
    operator: string | null
    signalDbm: number | null
    transport: string | null
    at: number
  } | null
  sims: readonly { slot: number; number: string | null; carrier: string | null }[]
  lastError: string | null
}

export interface Capabilities {
  deliveryReports: boolean
  maxParts: number
  /** It is told the sender, also a name or a short code; else it sends under its own numbers. */
  alphanumericSender: boolean
  /** It is told whether a text goes as GSM-7 or as UCS-2; else it chooses by the text. */
  encodingChoice: boolean
}

/** What a connector tells the service unasked. The promise settles when it is stored; a rejection means: keep it and say it again. */
export interface ConnectorEvents {
  receipt(receipt: Receipt): Promise<void>
  inbound(inbound: Inbound): Promise<void>
  /** What became known, after all, of a hand-over that was told `unknown`. */
  late(attemptId: string, outcome: Outcome): Promise<void>
  /** Health changed: the dispatcher reads it anew. */
  healthChanged(): void
}

/** A device as its connector sees it. `settings` were checked by the kind's rules, and those left out have their default; `secrets` are in clear. */
export interface DeviceSetup {
  id: string
  name: string
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}

/** What a running device does, however its messages reach it. */
export interface Running {
  readonly capabilities: Capabilities
  /** How many hand-overs may be open at once (of a phone: how many it may hold and not yet say to have); never exceeded. May change; read before each claim. */
  readonly window: number
  health(): Health
  start(): Promise<void>
  /** New settings for a running device; gives false when it must be made anew. */
  applySettings?(settings: Readonly<Record<string, string>>): boolean
  /** No new submits come; settles when every open one has settled and the device is let go. */
  stop(): Promise<void>
}

/** A device that is handed messages: SMPP, simulator. */
export interface Link extends Running {
  /** Parts a second that the peer bears, as far as is known; Infinity when nothing bounds it. */
  readonly perSecond?: number
  /**
   * How many hand-overs more than the window may be made ready, so that the next is handed over the moment one has settled. They are not submitted
   * until the window has room. Left out: none.
   */
  readonly ahead?: number
  /** Open hand-overs that only wait for another try, so that nothing is under way of them. Left out: none. */
  readonly waiting?: number
  /** Hands one message over. Never throws and always settles: within its own time-out, else as `unknown`. Called at most once for an attempt. */
  submit(submission: Submission): Promise<Outcome>
  /** No new submits come, and somebody waits for the open ones: those settle soon that only wait for another try. */
  hurry?(): void
  /**
   * What its peer brings at once is told apart by the receipts that are expected: it is to know the latest of them, so many, before it starts. Where
   * only failures are told those count, too, that nobody waits for.
   */
  readonly resumesFirst?: { most: number; failuresTold?: boolean }
  /** Receipts that are still expected from before: after a start, a page at a time, for connectors that can ask for them, or before it, at once. */
  resume?(expected: readonly { networkId: string }[]): void
}

/** Over which SIMs a phone sends, by their slots from 1. */
export interface SimChoice {
  /** SIMs by the sender that asks for them. */
  simOf: ReadonlyMap<string, number>
  /** SIMs that take turns with everything else; none leaves the choice to the phone. */
  turns: readonly number[]
}

/**
 * A device that fetches its messages: a phone. Nothing is submitted to it; what it fetches is claimed while it asks, and offered again
 * under the same id until it says that it has it.
 */
export interface Pull extends Running {
  /** May change; read before each claim. Each SIM has the pace of the device for itself. */
  readonly sims: SimChoice
  /** How long a limit that the device keeps by itself lasts, once it was reached. */
  readonly limitRestMs: number
  /** Something waits that this device may carry. Only an optimisation: it asks by itself as well. */
  wake(): void
  /** An attempt that it holds is to be canceled: it is told where that is possible. What it says of it comes as any report. */
  recall(attemptId: string): void
  /** Its device was disabled, and may be enabled again: meanwhile it is told nothing but what to let go of. */
  rest(isResting: boolean): void
  /** After a start, before it was heard: what was known of it last. */
  remember(
    known: Pick<Health, 'lastSeenAt' | 'appVersion' | 'battery' | 'network' | 'sims'> & { link: string },
  ): void
}

/** Whether the device fetches its messages. */
export const isPull = (device: Link | Pull): device is Pull => 'wake' in device

/** What came of a trial. */
export interface Trial {
  ok: boolean
  /** One sentence. */
  says: string
  /** What to do about it; null when it is fine. */
  remedy: string | null
}

/** A kind of device. */
export interface ConnectorKind<Device extends Link | Pull = Link | Pull> {
  kind: string
  settings: readonly SettingRule[]
  secretNames: readonly string[]
  /** Those of `secretNames` without which a device is refused. */
  requiredSecrets?: readonly string[]
  /** Its devices send under numbers of their own: nothing else can be their sender. Goes with `alphanumericSender`. */
  ownNumbersOnly?: true
  createLink(setup: DeviceSetup, tools: ConnectorTools, events: ConnectorEvents): Device
  /** Tries whether the peer lets us in, and sends nothing; for a device that does not run just now. */
  tryOut?(setup: DeviceSetup, tools: ConnectorTools): Promise<Trial>
}

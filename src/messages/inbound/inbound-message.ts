import type { RealKinds } from '../../devices/core/carrying.ts'
import type { CodedText } from '../../sms/coded-text.ts'
import type { NumberHash } from '../../numbers/number-hash.ts'
import type { Encoding, Mode } from '../../storage/tables/schema.ts'
import type { WordsOfAccounts } from '../opt-outs/account-keywords.ts'
import type { StopWords } from '../opt-outs/keywords.ts'

/**
 * The position of a fragment in a long message, as numbered by the sender's phone: `index` from 1 to `total`.
 */
export interface InboundFragment {
  reference: number
  total: number
  index: number
  /** Its octets, if a character may be split between two fragments; they are joined instead of the texts. */
  coded?: CodedText
}

/** An SMS that reached a device, measured. */
export interface InboundMessage {
  deviceId: string
  /** The device's owner; null for a shared device. */
  accountId: string | null
  mode: Mode
  /** In E.164 if messages can be sent to it (`parseSender`); otherwise unchanged. */
  from: string
  to: string | null
  country: string | null
  text: string
  encoding: Encoding
  units: number
  parts: number
  storedAt: number
  /**
   * When the network received it; omitted or null if the device does not report it, and for joined messages.
   */
  networkAt?: number | null
  inReplyTo: string | null
  inReplyToAttempt?: string
  fingerprint: string
  /** True if a new message can have the same fingerprint as an earlier one. */
  fingerprintGuessed?: true
  /** Its former fingerprint: it is the same message if that one was stored after this instant. */
  formerFingerprint?: { name: string; afterMs: number }
  /** See `Inbound.toldOtherwise`. */
  toldOtherwise?: { keeps: readonly string[]; looksFor: readonly string[] }
  /** True if every account can use the device. */
  isShared?: boolean
  /** See `isOwnCarrier`: answers can cost nothing. */
  isOwnDevice?: boolean
  /**
   * Accounts that had sent to the number through the shared device when this arrived; omitted if not looked
   * up.
   */
  accountsThatSent?: readonly string[]
  /** Meanings of its words for accounts with keywords of their own; omitted if not looked up. */
  ownWords?: WordsOfAccounts
  /** The sender that the device can answer from; null leaves the choice to the device that answers. */
  answerFrom?: string | null
  /** Set for a fragment of a longer message. */
  fragment?: InboundFragment
}

/** How received messages are stored. */
export interface InboundTerms {
  /** How long to wait for missing fragments of a long message. */
  joinMs: number
  /** Maximum length of a stored text; the rest is cut off. */
  maxCharacters: number
  /** How keywords are applied; omitted if they are not. */
  keywords?: KeywordTerms
}

/** How STOP, START and HELP are applied. */
export interface KeywordTerms {
  /** STOP words of accounts that define none. */
  stopWords: StopWords
  /** Confirmation of an opt-out, unless the account defines its own; null for none. */
  confirmation: string | null
  /** Answer to HELP, unless the account defines its own; null for none. */
  help: string | null
  /** True if keywords through a shared device are answered too. */
  answersShared: boolean
  /**
   * A STOP through a shared device applies to every account that has sent there within this many days;
   * answers are sent only for accounts that have.
   */
  sharedStopDays: number
  /** Maximum queued messages of accounts without a limit of their own; 0 = no limit. */
  queueLimit: number
  /** The kinds of devices that send for real. */
  kinds: RealKinds
  /** Hashes of erased numbers. */
  numbers: NumberHash
}

import type { CodedText } from '../../sms/coded-text.ts'
import type { NumberHash } from '../../numbers/number-hash.ts'
import type { Encoding, Mode } from '../../storage/tables/schema.ts'
import type { WordsOfAccounts } from '../opt-outs/account-keywords.ts'
import type { StopWords } from '../opt-outs/keywords.ts'

/** Which piece of a long message this is, as its sender's phone numbered it: `index` from 1 to `total`. */
export interface InboundPart {
  reference: number
  total: number
  index: number
  /** Its octets, where a character may be cut between two pieces; they are joined in the place of their texts. */
  coded?: CodedText
}

/** An SMS that reached a device, measured. */
export interface InboundMessage {
  deviceId: string
  /** The device's owner; null for a shared device. */
  accountId: string | null
  mode: Mode
  /** In E.164 where it can be written to (`readSender`); everything else as it came. */
  from: string
  to: string | null
  country: string | null
  text: string
  encoding: Encoding
  units: number
  parts: number
  receivedAt: number
  /** When the network had it; left out or null where the device does not tell, as of a joined one. */
  networkAt?: number | null
  inReplyTo: string | null
  fingerprint: string
  /** Whether a new message may have the fingerprint of one before. */
  fingerprintGuessed?: true
  /** What it was named if it came before; stored after this instant, it is the same. */
  formerFingerprint?: { name: string; afterMs: number }
  /** See `Inbound.toldOtherwise`. */
  toldOtherwise?: { keeps: readonly string[]; looksFor: readonly string[] }
  /** Whether every account may use the device. */
  isShared?: boolean
  /** Accounts that had sent to the number through the shared device when this came; left out where nobody has looked. */
  sentBefore?: readonly string[]
  /** What its words mean to accounts with keywords of their own; left out where nobody has looked. */
  ownWords?: WordsOfAccounts
  /** Under which sender the device can answer; null leaves that to whichever device does. */
  answerFrom?: string | null
  /** Set when this is a piece of a longer message. */
  part?: InboundPart
}

/** On what terms messages are received. */
export interface InboundTerms {
  /** How long the pieces of a long message are waited for. */
  joinMs: number
  /** Longest text kept; what a device says beyond it is cut. */
  maxCharacters: number
  /** What is done about keywords; left out where nothing is. */
  keywords?: KeywordTerms
}

/** What is done about STOP, START and HELP. */
export interface KeywordTerms {
  /** Which words count as STOP, for accounts that say nothing else. */
  stopWords: StopWords
  /** What a number is told once that has opted out, where its account says nothing else; null for nothing. */
  confirmation: string | null
  /** What HELP is answered with, where its account says nothing else; null for nothing. */
  help: string | null
  /** Whether answers go out also for what came through a shared device. */
  answersShared: boolean
  /** A STOP through a shared device holds for every account that sent there within so many days; answers go where the account has sent within them. */
  sharedStopDays: number
  /** Messages that may wait where the account has no limit of its own; 0 for no limit. */
  queueLimit: number
  /** Erased numbers stand under their hash. */
  numbers: NumberHash
}

import type { Encoding, Mode } from '../storage/schema.ts'

/** Which piece of a long message this is, as its sender's phone numbered it: `index` from 1 to `total`. */
export interface InboundPart {
  reference: number
  total: number
  index: number
}

/** An SMS that reached a device, measured. */
export interface InboundMessage {
  deviceId: string
  /** The device's owner; null for a shared device. */
  accountId: string | null
  mode: Mode
  from: string
  to: string | null
  country: string | null
  text: string
  encoding: Encoding
  units: number
  parts: number
  receivedAt: number
  inReplyTo: string | null
  fingerprint: string
  /** Set when this is a piece of a longer message. */
  part?: InboundPart
}

/** On what terms messages are received. */
export interface InboundTerms {
  /** How long the pieces of a long message are waited for. */
  joinMs: number
  /** Longest text kept; what a device says beyond it is cut. */
  mostCharacters: number
}

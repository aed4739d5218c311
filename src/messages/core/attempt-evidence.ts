/**
 * What is known of one part of an attempt, in the order of what counts more. A phone reports the whole of a message as
 * delivered with its first part; `retracted` is a later report that another part failed.
 */
export const partStates = ['awaited', 'lost', 'undelivered', 'delivered', 'retracted'] as const
export type PartState = (typeof partStates)[number]

/** The reason of a state, as a code of ours and as the network's; null if none was given. */
export interface Reason {
  code: string
  networkCode: string | null
}

export interface PartEvidence {
  state: PartState
  reason: Reason | null
}

/** How an attempt stands, in the order of what counts more: that it was taken ends every doubt. */
export const attemptStates = ['open', 'unknown', 'refused', 'accepted'] as const

/** All that is known of one attempt to send a message. Reports raise it, in any order, and repeats change nothing. */
export interface AttemptEvidence {
  /** From 1. */
  number: number
  state: (typeof attemptStates)[number]
  /** How many parts the network is known to have taken. */
  partsTaken: number
  /** Which receipts the network promised. */
  receipts: 'all' | 'failures' | 'none'
  /** The parts that a receipt can be about. */
  parts: readonly PartEvidence[]
  /** Receipts for all parts mean that the message arrived: false if a part was refused, or has no ID. */
  isWhole: boolean
  reason: Reason | null
}

/** Returns what is known of a part after another report; of two reports that say the same the first one stays. */
export const raisePart = (known: PartEvidence, said: PartEvidence): PartEvidence =>
  partStates.indexOf(said.state) > partStates.indexOf(known.state) ? said : known

/** Whether the network may have something of this attempt. An open one may. */
export const maySend = ({ state, partsTaken, parts }: AttemptEvidence): boolean =>
  state !== 'refused' || partsTaken > 0 || parts.length > 0

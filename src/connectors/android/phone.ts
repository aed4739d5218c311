import type { Pull } from '../connector.ts'

/** A phone as the routes see it: a device that fetches, with the event streams that wake it. */
export interface Phone extends Pull {
  /** An event stream is open. */
  readonly isStreaming: boolean
  /** Over which SIMs it sends, and when it is asked again: from its settings. */
  readonly terms: PhoneTerms
}

export interface PhoneTerms {
  /** SIMs (slots from 1) by the number that a message asks for as its sender. */
  simOf: Readonly<Record<string, number>>
  /** SIMs that take turns with everything else; none leaves the choice to the phone. */
  turns: readonly number[]
  /** A phone that has said that it has a message, and nothing for so long, is asked again where it stands. */
  hangsAfterMs: number
}

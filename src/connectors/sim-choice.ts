/** Which SIMs a phone sends over, by their slots from 1. */
export interface SimChoice {
  /** SIMs by the sender that requires them. */
  simOf: ReadonlyMap<string, number>
  /** SIMs that share everything else in turn; with none the phone chooses. */
  turns: readonly number[]
}

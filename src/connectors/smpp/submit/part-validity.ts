import type { Submission } from '../../connector.ts'
import type { MessageFields } from '../../../smpp/codec/pdu.ts'

/** How long the parts of a message may be submitted (P8). Counted from when the link got it, on the monotonic clock. */
export class PartValidity {
  readonly startMs: number
  /** From then on nothing of the message is sent. */
  readonly endMs: number
  readonly #seconds: number
  readonly #format: (seconds: number) => string

  /** `format` writes the rest of a validity. */
  constructor(
    startMs: number,
    {
      validitySeconds,
      validityMs = Number.POSITIVE_INFINITY,
    }: Pick<Submission, 'validitySeconds' | 'validityMs'>,
    format: (seconds: number) => string,
  ) {
    this.startMs = startMs
    this.endMs = startMs + Math.min(validitySeconds * 1_000, validityMs)
    this.#seconds = validitySeconds
    this.#format = format
  }

  /**
   * Returns a part to be sent now: later ones have a shorter validity. Within the first second it stays as it
   * was created.
   */
  shortened(part: MessageFields, nowMs: number): MessageFields {
    const goneSeconds = Math.floor((nowMs - this.startMs) / 1_000)
    return goneSeconds === 0 ? part : { ...part, validityPeriod: this.#format(this.#seconds - goneSeconds) }
  }
}

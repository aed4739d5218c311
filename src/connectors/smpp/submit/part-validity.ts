import type { Submission } from '../../connector.ts'
import type { MessageFields } from '../../../smpp/codec/pdu.ts'

/** How long the parts of a message may be handed over (P8). Counted from when the link got it, by the clock that never steps. */
export class PartValidity {
  readonly startMs: number
  /** From then on nothing of the message leaves. */
  readonly endMs: number
  readonly #seconds: number
  readonly #say: (seconds: number) => string

  /** `say` writes what is left of a validity. */
  constructor(
    startMs: number,
    {
      validitySeconds,
      validityMs = Number.POSITIVE_INFINITY,
    }: Pick<Submission, 'validitySeconds' | 'validityMs'>,
    say: (seconds: number) => string,
  ) {
    this.startMs = startMs
    this.endMs = startMs + Math.min(validitySeconds * 1_000, validityMs)
    this.#seconds = validitySeconds
    this.#say = say
  }

  /** A part that goes now: later ones are valid for less. Within the first second it stays as it was made. */
  shortened(part: MessageFields, nowMs: number): MessageFields {
    const goneSeconds = Math.floor((nowMs - this.startMs) / 1_000)
    return goneSeconds === 0 ? part : { ...part, validityPeriod: this.#say(this.#seconds - goneSeconds) }
  }
}

import type { MessageFields } from './pdu.ts'

/** How long the parts of a message may be handed over (P8). Counted from when the link got it, by the clock that never steps. */
export class PartValidity {
  readonly startMs: number
  readonly #seconds: number
  readonly #say: (seconds: number) => string

  /** `say` writes what is left of a validity. */
  constructor(startMs: number, seconds: number, say: (seconds: number) => string) {
    this.startMs = startMs
    this.#seconds = seconds
    this.#say = say
  }

  /** From then on nothing of the message leaves. */
  get endMs(): number {
    return this.startMs + this.#seconds * 1_000
  }

  /** A part that goes now: later ones are valid for less. Within the first second it stays as it was made. */
  shortened(part: MessageFields, nowMs: number): MessageFields {
    const goneSeconds = Math.floor((nowMs - this.startMs) / 1_000)
    return goneSeconds === 0 ? part : { ...part, validityPeriod: this.#say(this.#seconds - goneSeconds) }
  }
}

import type { Ask } from '../at/ask.ts'
import { Memories } from '../receive/memories.ts'
import type { SweepDeps } from '../receive/sweep.ts'
import type { BroughtUp } from '../setup/bring-up.ts'
import { readSimMark } from '../setup/identity.ts'
import { hasIndications } from '../setup/indications.ts'

type Up = Extract<BroughtUp, { kind: 'up' }>

/** A modem that was made ready on this line: what it has received, and whether it still is as it was made. */
export class ReadyModem {
  readonly memories: Memories
  readonly #ask: Ask
  readonly #up: Up

  constructor({ ask, take }: { ask: Ask; take: SweepDeps['take'] }, up: Up) {
    this.#ask = ask
    this.#up = up
    this.memories = new Memories({ ask, take }, up.storage)
  }

  /** What is wrong with what it receives. */
  get reasons(): ('storage_full' | 'receives_nothing')[] {
    return [
      ...(this.memories.isFull ? (['storage_full'] as const) : []),
      ...(this.#up.storage.isNone ? (['receives_nothing'] as const) : []),
    ]
  }

  /** Whether what it passes on to this line is to be acknowledged here; else the modem has done so. */
  get acknowledges(): boolean {
    return this.#up.indications.acknowledges
  }

  /** After an acknowledgement that it missed, or a restart that it did not report, it announces nothing. */
  async isSame(): Promise<boolean> {
    return (await hasIndications(this.#ask, this.#up.indications)) && (await this.#hasSameSim())
  }

  /** A SIM that was changed on an open line is another device. */
  async #hasSameSim(): Promise<boolean> {
    const { simMark, profile } = this.#up
    if (simMark === null) return true
    const mark = await readSimMark(this.#ask, profile)
    return mark === null || mark === simMark
  }
}

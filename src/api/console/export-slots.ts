import { refuse } from '../../errors.ts'
import type { Db } from '../../storage/dialect.ts'

/** The reader of long reads, opened when it is first needed, and how many may use it at once. */
export class ExportSlots {
  readonly #openReader: () => Db
  readonly #most: number
  #reader: Db | null = null
  #running = 0

  constructor(deps: { openReader: () => Db }, most: number) {
    this.#openReader = deps.openReader
    this.#most = most
  }

  /** A reader that stands in nobody's way. */
  reader(): Db {
    return (this.#reader ??= this.#openReader())
  }

  /** The pieces that `read` gives. Refuses while too many others run; a run begins with its first piece. */
  run(read: (db: Db) => AsyncIterable<string>): AsyncIterable<string> {
    if (this.#running >= this.#most)
      throw refuse('rate_limited', {
        detail: `As many exports are running as may (${this.#most}); wait until one has ended.`,
        headers: { 'retry-after': '30' },
      })
    return this.#pieces(read)
  }

  async *#pieces(read: (db: Db) => AsyncIterable<string>): AsyncGenerator<string> {
    this.#running += 1
    try {
      yield* read(this.reader())
    } finally {
      this.#running -= 1
    }
  }
}

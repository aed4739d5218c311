import { refuse } from '../../errors.ts'
import type { Db } from '../../storage/dialect.ts'

/** Exports at the same time: they share one reader, and each holds one page in memory. */
const mostExports = 4

/** The reader of long reads, opened when it is first needed, and how many may use it at once. */
export class ExportSlots {
  readonly #openReader: () => Db
  #reader: Db | null = null
  #running = 0

  constructor(deps: { openReader: () => Db }) {
    this.#openReader = deps.openReader
  }

  /** A reader that stands in nobody's way. */
  reader(): Db {
    return (this.#reader ??= this.#openReader())
  }

  /** The pieces that `read` gives. Refuses while too many others run; a run begins with its first piece. */
  run(read: (db: Db) => AsyncIterable<string>): AsyncIterable<string> {
    if (this.#running >= mostExports)
      throw refuse('rate_limited', {
        detail: `${mostExports} exports are running; wait until one has ended.`,
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

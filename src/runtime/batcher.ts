interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** Takes the batch, of items that fit: all of them unless `fits` says otherwise. */
export type Take<Item> = (fits?: (item: Item) => boolean) => Item[]
type Run<Item, Result> = (take: Take<Item>, look: () => Item[]) => Promise<Result[]>

export interface BatchBounds<Item> {
  /** A batch is closed by the item that reaches this weight. */
  maxWeight: number
  /** Returns the weight of an item. Default: 1. */
  weigh?: (item: Item) => number
}

/**
 * Group commit without a timer: items that arrive while a batch runs form the next one. An idle batcher adds
 * only the rest of the current turn of the event loop, so that requests read from several sockets in one turn
 * share a flush.
 *
 * `run` takes its batch when it is ready for it, and items that arrive until then are included. It gets at
 * least one item, and the same items however often it asks. It can look at what it would take now, and take from the front
 * only what fits; what it has looked at must fit. It returns one result per item, in order; if it
 * throws, every item of the batch fails. The batcher is unbounded: the caller must limit what it adds.
 */
export class Batcher<Item, Result> {
  readonly #run: Run<Item, Result>
  readonly #maxWeight: number
  readonly #weigh: (item: Item) => number
  #waiting: Waiting<Item, Result>[] = []
  #busy = false

  constructor(run: Run<Item, Result>, { maxWeight, weigh = () => 1 }: BatchBounds<Item>) {
    this.#run = run
    this.#maxWeight = maxWeight
    this.#weigh = weigh
  }

  /** Number of items that wait for their batch to begin. */
  get waiting(): number {
    return this.#waiting.length
  }

  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#busy) return
      this.#busy = true
      setImmediate(() => void this.#drain())
    })
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      let batch: Waiting<Item, Result>[] | null = null
      const taken = (fits?: (item: Item) => boolean): Waiting<Item, Result>[] =>
        (batch ??= this.#waiting.splice(0, this.#nextLength(fits)))
      const itemsOf = (entries: readonly Waiting<Item, Result>[]): Item[] => entries.map(({ item }) => item)
      try {
        const results = await this.#run(
          (fits) => itemsOf(taken(fits)),
          () => itemsOf(batch ?? this.#waiting.slice(0, this.#nextLength())),
        )
        taken().forEach((entry, i) => entry.resolve(results[i] as Result))
      } catch (error) {
        taken().forEach((entry) => entry.reject(error))
      }
    }
    this.#busy = false
  }

  #nextLength(fits: (item: Item) => boolean = () => true): number {
    let weight = 0
    let length = 0
    for (const { item } of this.#waiting) {
      if (weight >= this.#maxWeight || !fits(item)) break
      weight += this.#weigh(item)
      length += 1
    }
    return length
  }
}

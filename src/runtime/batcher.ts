interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export interface BatchBounds<Item> {
  /** A batch ends with the item that reaches this weight. */
  maxWeight: number
  /** What an item adds to its batch; 1 when left out. */
  weigh?: (item: Item) => number
}

/**
 * Natural group commit: what arrives while one batch runs makes up the next one. No timer; an idle batcher adds nothing but
 * the rest of the current turn of the event loop, so that requests read from several sockets in one turn share a flush.
 *
 * `run` takes its batch when it is ready for it: what arrives until then is in it. It gets at least one item, the same ones however often it asks, and
 * gives one result for each, in order; when it throws, every item of that batch fails. Refuses nothing by itself: whoever fills it bounds it.
 */
export class Batcher<Item, Result> {
  readonly #run: (take: () => Item[]) => Promise<Result[]>
  readonly #maxWeight: number
  readonly #weigh: (item: Item) => number
  #waiting: Waiting<Item, Result>[] = []
  #busy = false

  constructor(
    run: (take: () => Item[]) => Promise<Result[]>,
    { maxWeight, weigh = () => 1 }: BatchBounds<Item>,
  ) {
    this.#run = run
    this.#maxWeight = maxWeight
    this.#weigh = weigh
  }

  /** How many items wait for their batch to begin. */
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
      const taken = (): Waiting<Item, Result>[] => (batch ??= this.#waiting.splice(0, this.#nextLength()))
      try {
        const results = await this.#run(() => taken().map((entry) => entry.item))
        taken().forEach((entry, i) => entry.resolve(results[i] as Result))
      } catch (error) {
        taken().forEach((entry) => entry.reject(error))
      }
    }
    this.#busy = false
  }

  #nextLength(): number {
    let weight = 0
    let length = 0
    while (length < this.#waiting.length && weight < this.#maxWeight) {
      weight += this.#weigh((this.#waiting[length] as Waiting<Item, Result>).item)
      length += 1
    }
    return length
  }
}

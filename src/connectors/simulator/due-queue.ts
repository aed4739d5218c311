import type { ConnectorTools } from '../connector-tools.ts'

/** What a queue needs: time, and how an item is delivered. A rejection of `deliver` means: keep it and retry. */
interface Deps<Item> {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  deliver(item: Item): Promise<void>
}

interface Entry<Item> {
  item: Item
  failures: number
}

/** Items in delivery, above which no more are started: limits memory when the store is slow. */
const maxUnsettled = 10_000

/** 1 s, doubled at each failure, at most 30 s. */
const retryDelayMs = (failures: number): number => Math.min(30_000, 1000 * 2 ** Math.min(failures - 1, 5))

/**
 * Delivers items when they are due, in order, and retries them until they are accepted. One timer serves all:
 * items lie in one bucket per millisecond, and a heap holds the milliseconds (20,000 messages/s wait 3 s
 * each: 60,000 items in 3,000 buckets).
 */
export class DueQueue<Item> {
  readonly #deps: Deps<Item>
  readonly #buckets = new Map<number, Entry<Item>[]>()
  readonly #dueTimes: number[] = []
  #armedForMs = Infinity
  #disarm: (() => void) | null = null
  #unsettled = 0
  #state: 'delivering' | 'holding' | 'stopped' = 'delivering'

  constructor(deps: Deps<Item>) {
    this.#deps = deps
  }

  /** Delivers `item` after `delayMs`, never before the current turn of the event loop has ended. */
  add(item: Item, delayMs: number): void {
    this.#put({ item, failures: 0 }, delayMs)
  }

  /** Delivers nothing until `release`. */
  hold(): void {
    if (this.#state === 'delivering') this.#state = 'holding'
    this.#arm()
  }

  /** Ends a `hold`; what became due meanwhile is delivered together. */
  release(): void {
    if (this.#state === 'holding') this.#state = 'delivering'
    this.#arm()
  }

  /** Drops everything that is queued and delivers nothing any more. */
  stop(): void {
    this.#state = 'stopped'
    this.#buckets.clear()
    this.#dueTimes.length = 0
    this.#arm()
  }

  #put(entry: Entry<Item>, delayMs: number): void {
    if (this.#state === 'stopped') return
    const dueMs = Math.ceil(this.#deps.tools.monotonicMs() + delayMs)
    const bucket = this.#buckets.get(dueMs)
    if (bucket !== undefined) {
      bucket.push(entry)
      return
    }
    this.#buckets.set(dueMs, [entry])
    pushTime(this.#dueTimes, dueMs)
    if (dueMs < this.#armedForMs) this.#arm()
  }

  #arm(): void {
    this.#disarm?.()
    this.#disarm = null
    this.#armedForMs = Infinity
    const [nextMs] = this.#dueTimes
    if (nextMs === undefined || this.#state !== 'delivering' || this.#unsettled >= maxUnsettled) return
    this.#armedForMs = nextMs
    const { tools } = this.#deps
    this.#disarm = tools.schedule(Math.max(0, nextMs - tools.monotonicMs()), () => this.#deliverDue())
  }

  #deliverDue(): void {
    const nowMs = this.#deps.tools.monotonicMs()
    while ((this.#dueTimes[0] ?? Infinity) <= nowMs && this.#unsettled < maxUnsettled) {
      const dueMs = popTime(this.#dueTimes)
      const bucket = this.#buckets.get(dueMs) ?? []
      this.#buckets.delete(dueMs)
      for (const entry of bucket) this.#deliver(entry)
    }
    this.#arm()
  }

  #deliver(entry: Entry<Item>): void {
    this.#unsettled += 1
    this.#deps.deliver(entry.item).then(
      () => this.#settle(),
      () => {
        entry.failures += 1
        this.#put(entry, retryDelayMs(entry.failures))
        this.#settle()
      },
    )
  }

  #settle(): void {
    this.#unsettled -= 1
    if (this.#disarm === null && this.#dueTimes.length > 0) this.#arm()
  }
}

/** Adds a time to a binary min-heap. */
function pushTime(heap: number[], time: number): void {
  let at = heap.push(time) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if ((heap[parent] as number) <= time) break
    heap[at] = heap[parent] as number
    at = parent
  }
  heap[at] = time
}

/** Removes the least time from a heap that is not empty. */
function popTime(heap: number[]): number {
  const least = heap[0] as number
  const last = heap.pop() as number
  if (heap.length === 0) return least
  let at = 0
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child += 1
    if ((heap[child] as number) >= last) break
    heap[at] = heap[child] as number
    at = child
  }
  heap[at] = last
  return least
}

import type { Clock } from '../../runtime/clock.ts'
import type { Service } from '../../process/lifecycle.ts'
import type { Log } from '../../process/log.ts'
import type { Counted, SharedCounts } from '../../runtime/shared-counts.ts'
import type { AccountChanges } from '../../messages/queue/account-changes.ts'
import { longestWord, type Signals } from '../../storage/seam/signals.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { Route } from '../routes/choose-device.ts'
import { packCounts } from './pack-counts.ts'
import { routeFrom } from '../routes/route-ring.ts'

/** What a node tells the others, in the names of the tables; as small as it can be. */
interface Word {
  /** Who says it: a node does not listen to itself. */
  from: number
  /** Something waits on these: account, mode, route key. */
  routes?: [string, Mode, string][]
  /** These have changed; null: any may have. */
  accounts?: (string | null)[]
  /** Counted by limits. */
  counts?: Counted[]
}

export interface BroadcastsDeps {
  clock: Clock
  log: Log
  /** Null on the embedded database, which has one node. */
  signals: Signals | null
  epoch: number
  /** While nobody else lives nothing is told. */
  hasOthers: () => boolean
  wake: (route: Route) => void
  changes: AccountChanges
  counts: SharedCounts
}

/**
 * At once what comes after a silence of so long, and together what comes within it: each word is a transaction with a flush of its own, and wakes every
 * node. Four busy nodes made 400 a second with 10 ms.
 */
const betweenMs = 25
/** How often counts are told: with four nodes a limit of 600 a minute is passed by 2 % at most. */
const countsMs = 250
/** Octets of a word of counts that are none: who says it, and what it is about. */
const headOctets = 64
/** Counts that cannot be told wait so long. Told later they would be taken from a minute that they were no part of. */
const countsWaitMs = 60_000
/** More than fit into a word: then the other nodes look for themselves, as they do each half second. */
const maxNames = 60

/** Tells the other nodes what they would find at their next poll, after the commit. Never relied on. */
export class Broadcasts implements Service {
  readonly #deps: BroadcastsDeps
  #routes = new Map<string, [string, Mode, string]>()
  #accounts = new Set<string | null>()
  #isPlanned = false
  /** By the monotonic clock. */
  #toldAtMs = Number.NEGATIVE_INFINITY
  #countsPlanned = false
  /** Since when counts wait that could not be told. */
  #countsWaitSinceMs: number | null = null
  #isLost = false

  constructor(deps: BroadcastsDeps) {
    this.#deps = deps
  }

  async start(): Promise<void> {
    const { signals, changes, counts } = this.#deps
    counts.tellBy({ isHeard: () => this.#isHeard, plan: () => this.#planCounts() })
    changes.relayTo({ isLooking: () => this.#isHeard, changed: (accountId) => this.#changed(accountId) })
    await signals?.listen({
      heard: (text) => this.#hear(text),
      missed: () => {
        this.#setLost(false)
        changes.hear(null)
      },
      lost: () => this.#setLost(true),
    })
  }

  async stop(): Promise<void> {
    await this.#deps.signals?.close()
  }

  /** Something waits on a route. */
  waits({ accountId, mode, routeKey }: { accountId: string; mode: Mode; routeKey: string }): void {
    if (!this.#isHeard || this.#routes.size >= maxNames) return
    this.#routes.set(`${accountId}/${routeKey}`, [accountId, mode, routeKey])
    this.#plan()
  }

  #changed(accountId: string | null): void {
    if (this.#accounts.size >= maxNames) this.#accounts = new Set([null])
    this.#accounts.add(accountId)
    this.#plan()
  }

  #setLost(isLost: boolean): void {
    const { log } = this.#deps
    if (isLost)
      log.warn('this node hears no other: what they tell is found by polling, and limits count here alone')
    else if (this.#isLost) log.info('this node hears the others again')
    this.#isLost = isLost
  }

  get #isHeard(): boolean {
    return this.#deps.signals !== null && this.#deps.hasOthers()
  }

  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    const { clock } = this.#deps
    clock.schedule(Math.max(0, this.#toldAtMs + betweenMs - clock.monotonicMs()), () => this.#tell())
  }

  #tell(): void {
    this.#isPlanned = false
    const { signals, epoch, clock } = this.#deps
    this.#toldAtMs = clock.monotonicMs()
    const word: Word = { from: epoch, routes: [...this.#routes.values()], accounts: [...this.#accounts] }
    this.#routes = new Map()
    this.#accounts = new Set()
    const text = JSON.stringify(word)
    // Names are short; one that is not is found by the poll.
    if (Buffer.byteLength(text) <= longestWord) void signals?.send(text)
  }

  #planCounts(): void {
    if (this.#countsPlanned) return
    this.#countsPlanned = true
    this.#deps.clock.schedule(countsMs, () => void this.#tellCounts())
  }

  /** What cannot be told is kept, and tried again. */
  async #tellCounts(): Promise<void> {
    this.#countsPlanned = false
    const { counts, clock } = this.#deps
    const left = await this.#sendCounts(counts.take())
    if (left.length === 0) {
      this.#countsWaitSinceMs = null
      return
    }
    this.#countsWaitSinceMs ??= clock.monotonicMs()
    if (clock.monotonicMs() - this.#countsWaitSinceMs > countsWaitMs) {
      this.#countsWaitSinceMs = null
      return
    }
    counts.putBack(left)
    this.#planCounts()
  }

  /** Gives those that could not be told. */
  async #sendCounts(all: readonly Counted[]): Promise<readonly Counted[]> {
    const { signals, epoch, log } = this.#deps
    let told = 0
    for (const counts of packCounts(all, longestWord - headOctets)) {
      const text = JSON.stringify({ from: epoch, counts } satisfies Word)
      if (Buffer.byteLength(text) > longestWord)
        log.error(
          { limit: counts[0]?.[0] },
          'what a limit counts is not told to the other nodes: the name is too long',
        )
      else if ((await signals?.send(text)) === false) return all.slice(told)
      told += counts.length
    }
    return []
  }

  #hear(text: string): void {
    const { epoch, wake, changes, counts } = this.#deps
    const word = readWord(text)
    if (word === null || word.from === epoch) return
    for (const [account_id, mode, route_key] of word.routes ?? [])
      wake(routeFrom({ account_id, mode, route_key }))
    for (const accountId of word.accounts ?? []) changes.hear(accountId)
    counts.hear(word.counts ?? [])
  }
}

/** Null for what no node of this version says. */
function readWord(text: string): Word | null {
  try {
    const word = JSON.parse(text) as Word
    return typeof word.from === 'number' ? word : null
  } catch {
    return null
  }
}

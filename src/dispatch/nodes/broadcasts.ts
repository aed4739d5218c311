import type { Clock } from '../../runtime/clock.ts'
import type { Service } from '../../process/lifecycle.ts'
import type { Log } from '../../process/log.ts'
import type { Counted, SharedCounts } from '../../runtime/shared-counts.ts'
import type { ChangeHints } from '../../messages/core/change-hints.ts'
import { maxPayloadOctets, type Signals } from '../../storage/seam/signals.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { Route } from '../routes/candidate.ts'
import { packCounts } from './pack-counts.ts'
import { routeFrom } from '../routes/route-ring.ts'

/** What a node broadcasts to its peers, in the names of the tables; as small as possible. */
interface Broadcast {
  /** Epoch of the sender: a node ignores its own broadcasts. */
  from: number
  /** Routes with queued messages: account, mode, route key. */
  routes?: [string, Mode, string][]
  /** Accounts that changed; null: any may have. */
  accounts?: (string | null)[]
  /** Counts for limits. */
  counts?: Counted[]
}

export interface BroadcastsDeps {
  clock: Clock
  log: Log
  /** Null on the embedded database, which has one node. */
  signals: Signals | null
  epoch: number
  /** With no other live node, nothing is broadcast. */
  hasOthers: () => boolean
  wake: (route: Route) => void
  changes: ChangeHints
  counts: SharedCounts
}

/**
 * A broadcast after a pause of this length is sent immediately; all within it go together. Each broadcast is
 * a transaction with its own flush, and wakes every node. With 10 ms four busy nodes sent 400 per second.
 */
const betweenMs = 25
/** How often counts are broadcast: with four nodes a limit of 600 per minute is exceeded by 2% at most. */
const countsMs = 250
/** Octets of a broadcast of counts besides the counts: its sender and its type. */
const overheadOctets = 64
/**
 * Counts that cannot be sent are kept for this long. Later they would count for a minute that they were not
 * part of.
 */
const countsWaitMs = 60_000
/** More names than fit into a broadcast: then the other nodes check for themselves, as they do every 500 ms. */
const maxNames = 60

/** Broadcasts after the commit what the other nodes would find with their next poll. Never relied on. */
export class Broadcasts implements Service {
  readonly #deps: BroadcastsDeps
  #routes = new Map<string, [string, Mode, string]>()
  #accounts = new Set<string | null>()
  #isPlanned = false
  /** By the monotonic clock. */
  #sentAtMs = Number.NEGATIVE_INFINITY
  #countsPlanned = false
  /** Since when counts wait that could not be sent. */
  #countsWaitSinceMs: number | null = null
  #isLost = false

  constructor(deps: BroadcastsDeps) {
    this.#deps = deps
  }

  async start(): Promise<void> {
    const { signals, changes, counts } = this.#deps
    counts.tellBy({ isHeard: () => this.#hasListeners, plan: () => this.#planCounts() })
    changes.relayTo({ isLooking: () => this.#hasListeners, changed: (accountId) => this.#changed(accountId) })
    await signals?.listen({
      heard: (text) => this.#receive(text),
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

  /** Broadcasts that messages are queued on a route. */
  waits({ accountId, mode, routeKey }: { accountId: string; mode: Mode; routeKey: string }): void {
    if (!this.#hasListeners || this.#routes.size >= maxNames) return
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
      log.warn(
        'this node receives no broadcasts: changes of its peers are found by polling, and limits count only here',
      )
    else if (this.#isLost) log.info('this node receives broadcasts again')
    this.#isLost = isLost
  }

  get #hasListeners(): boolean {
    return this.#deps.signals !== null && this.#deps.hasOthers()
  }

  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    const { clock } = this.#deps
    clock.schedule(Math.max(0, this.#sentAtMs + betweenMs - clock.monotonicMs()), () => this.#send())
  }

  #send(): void {
    this.#isPlanned = false
    const { signals, epoch, clock } = this.#deps
    this.#sentAtMs = clock.monotonicMs()
    const broadcast: Broadcast = {
      from: epoch,
      routes: [...this.#routes.values()],
      accounts: [...this.#accounts],
    }
    this.#routes = new Map()
    this.#accounts = new Set()
    const text = JSON.stringify(broadcast)
    // Names are short; the poll finds one that is not.
    if (Buffer.byteLength(text) <= maxPayloadOctets) void signals?.send(text)
  }

  #planCounts(): void {
    if (this.#countsPlanned) return
    this.#countsPlanned = true
    this.#deps.clock.schedule(countsMs, () => void this.#flushCounts())
  }

  /** Sends the counts. Those that cannot be sent are kept and retried. */
  async #flushCounts(): Promise<void> {
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

  /** Returns those that could not be sent. */
  async #sendCounts(all: readonly Counted[]): Promise<readonly Counted[]> {
    const { signals, epoch, log } = this.#deps
    let sent = 0
    for (const counts of packCounts(all, maxPayloadOctets - overheadOctets)) {
      const text = JSON.stringify({ from: epoch, counts } satisfies Broadcast)
      if (Buffer.byteLength(text) > maxPayloadOctets)
        log.error({ limit: counts[0]?.[0] }, 'cannot broadcast the count of a limit: its name is too long')
      else if ((await signals?.send(text)) === false) return all.slice(sent)
      sent += counts.length
    }
    return []
  }

  #receive(text: string): void {
    const { epoch, wake, changes, counts } = this.#deps
    const broadcast = readBroadcast(text)
    if (broadcast === null || broadcast.from === epoch) return
    for (const [account_id, mode, route_key] of broadcast.routes ?? [])
      wake(routeFrom({ account_id, mode, route_key }))
    for (const accountId of broadcast.accounts ?? []) changes.hear(accountId)
    counts.hear(broadcast.counts ?? [])
  }
}

/** Returns null for text that no node of this version sends. */
function readBroadcast(text: string): Broadcast | null {
  try {
    const broadcast = JSON.parse(text) as Broadcast
    return typeof broadcast.from === 'number' ? broadcast : null
  } catch {
    return null
  }
}

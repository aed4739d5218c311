import { Batcher } from '../batcher.ts'
import type { Clock } from '../clock.ts'
import { isPull, type Outcome, type Receipt } from '../connectors/connector.ts'
import type { Service } from '../lifecycle.ts'
import type { Log } from '../log.ts'
import type { Claimed, Want } from '../messages/claim-messages.ts'
import type { ReceiptWord } from '../messages/receipt-readings.ts'
import type { Settlement } from '../messages/settle-outcomes.ts'
import type { Metrics } from '../metrics.ts'
import { type Db, isPassing } from '../storage/dialect.ts'
import { planClaims, type Route } from './choose-device.ts'
import type { DevicePool } from './device-pool.ts'
import { Doubtful } from './doubtful.ts'
import { dueRoutes } from './due-routes.ts'
import { type Ended, settlementsOf, tooLate } from './ended.ts'
import { handOverOf } from './hand-over.ts'
import { QueueClock } from './queue-clock.ts'
import { RouteRefill } from './route-refill.ts'
import { RouteRing } from './route-ring.ts'
import { PhoneCaller } from './phone-caller.ts'
import { isSound, notTold } from './sound-outcome.ts'

/** The hot units, run in the next transaction; each settles after the flush. */
export interface DispatchUnits {
  claim(input: {
    wants: readonly Want[]
    nowMs: number
    dueMs: number
    fence: number
  }): Promise<{ claimed: Claimed[]; counts: number[] }>
  settleOutcomes(settlements: readonly Settlement[]): Promise<(string | null)[]>
  settleReceipts(words: readonly ReceiptWord[]): Promise<{ accountId: string; status: string }[]>
}

export interface DispatcherDeps {
  read: Db
  units: DispatchUnits
  clock: Clock
  log: Log
  metrics: Metrics
  pool: DevicePool
  /** This process's fencing token: the epoch of its start. */
  fence: number
  pollIntervalMs: number
}

/** Bounds one claim: more routes wait for the next round. */
const maxRoutesPerRound = 256
/** Outcomes or receipts that share one unit; bounds how long a transaction can last. */
const maxBatch = 1_000
const storeRetryMs = 250

/**
 * Queued → handed over. Rounds of: take the routes whose turn it is, give each a device with room, claim for all of them in one unit,
 * and submit what was flushed. Wake-ups make it quick; the poll of `queue_totals` makes it sure. What a device answers is kept until
 * it is stored.
 */
export class Dispatcher implements Service {
  readonly #deps: DispatcherDeps
  readonly #ring = new RouteRing()
  readonly #refill: RouteRefill
  #queueClock: QueueClock
  readonly #settle: Batcher<Ended, void>
  readonly #receive: Batcher<Omit<ReceiptWord, 'atMs'>, void>
  readonly #doubtful = new Doubtful()
  readonly #caller: PhoneCaller
  #round: Promise<void> | null = null
  #again = false
  #stopped = true
  #open = 0
  #handedOver = 0
  #cancelPoll: () => void = () => undefined
  #whenIdle: (() => void)[] = []

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#refill = new RouteRefill(deps.read, this.#ring)
    this.#queueClock = new QueueClock(deps.clock)
    this.#caller = new PhoneCaller(deps)
    this.#settle = new Batcher((ended) => this.#storeOutcomes(ended), { maxWeight: maxBatch })
    this.#receive = new Batcher((words) => this.#storeReceipts(words), { maxWeight: maxBatch })
  }

  async start(): Promise<void> {
    this.#queueClock = new QueueClock(this.#deps.clock)
    await this.#queueClock.catchUp(this.#deps.read)
    this.#stopped = false
    this.#poll()
  }

  /** No more claims; settles when the end of every open hand-over is stored. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelPoll()
    await this.#round
    if (this.#open > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  /** The time by which what waits is due, which never steps back. */
  readonly dueNow = (): number => this.#queueClock.now()

  /** Says that something waits on a route. Only an optimisation: the poll would find it. */
  wake(route: Route): void {
    this.#ring.add(route)
    this.nudge()
  }

  /** Looks for work now: after a change of devices or of their room. */
  nudge(): void {
    if (this.#stopped) return
    this.#again = true
    this.#round ??= this.#rounds()
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'a round of claims failed; the next poll tries again'),
      )
      .finally(() => {
        this.#round = null
        if (this.#again && this.#ring.size > 0) this.nudge()
      })
  }

  /** Settles after a poll that found nothing to claim, with every hand-over stored: for tests and for draining. */
  async drain(): Promise<void> {
    for (let before = -1; before !== this.#handedOver;) {
      before = this.#handedOver
      await this.#refill.now()
      this.nudge()
      await this.#round
      if (this.#open > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
    }
  }

  /** A connector's receipt; settles when it is stored, rejects when it could not be. */
  receipt(deviceId: string, receipt: Receipt): Promise<void> {
    return this.#receive.add({ ...receipt, deviceId })
  }

  /** What became of a hand-over that had ended `unknown`; settles when it is stored. It corrects, and never sends again. */
  async late(attemptId: string, outcome: Outcome): Promise<void> {
    const isTold = isSound(outcome) && outcome.kind !== 'unknown'
    const doubt = isTold ? this.#doubtful.take(attemptId) : null
    if (doubt === null) return
    this.#open += 1
    await doubt.stored
    await this.#settle.add({ claimed: doubt.claimed, device: null, outcome, knownIds: doubt.networkIds })
    this.#ended()
  }

  #poll(): void {
    if (this.#stopped) return
    // It has to see the wall clock ahead to go on when that steps back.
    this.#queueClock.now()
    void this.#refill
      .now()
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'the queue could not be read; trying again'),
      )
      .then(() => {
        this.nudge()
        this.#cancelPoll = this.#deps.clock.schedule(this.#deps.pollIntervalMs, () => this.#poll())
      })
  }

  async #rounds(): Promise<void> {
    // Routes in a row whose device had no room: when the whole ring is like that, somebody's end will nudge again.
    let busyInARow = 0
    while ((this.#again || busyInARow < this.#ring.size) && !this.#stopped) {
      this.#again = false
      const routes = this.#ring.take(maxRoutesPerRound)
      if (routes.length === 0) return
      const { wants, calls, busy } = planClaims(routes, this.#deps.pool.candidatesFor)
      this.#caller.call(calls)
      // Whoever found no room stands in front of whoever was served (P10).
      const claiming = wants.length > 0 ? this.#claim(wants) : Promise.resolve([])
      for (const route of busy) this.#ring.add(route)
      const counts = await claiming
      busyInARow = counts.some((count) => count > 0) ? 0 : busyInARow + busy.length
      const byName = new Map(routes.map((route) => [`${route.accountId}/${route.routeKey}`, route]))
      // Whoever got all it asked for may have more.
      wants.forEach((want, i) => {
        if (counts[i] === want.quota)
          this.#ring.add(byName.get(`${want.accountId}/${want.routeKey}`) as Route)
      })
    }
  }

  async #claim(wants: readonly Want[]): Promise<number[]> {
    const { units, clock, fence, log, pool } = this.#deps
    try {
      const { claimed, counts } = await units.claim({
        wants,
        nowMs: clock.now(),
        dueMs: this.#queueClock.now(),
        fence,
      })
      for (const claim of claimed) {
        this.#open += 1
        this.#handedOver += 1
        pool.get(claim.deviceId)?.opened(claim.parts)
      }
      for (const claim of claimed) void this.#handOver(claim)
      return counts
    } catch (error) {
      log.error({ err: error }, 'nothing could be claimed; trying again')
      return wants.map(() => 0)
    }
  }

  /** Flushed by now. Whatever happens from here on, the attempt ends once, with an outcome. */
  async #handOver(claimed: Claimed): Promise<void> {
    const { pool, metrics, log, clock } = this.#deps
    const device = pool.get(claimed.deviceId)
    const nowMs = clock.now()
    let outcome: Outcome
    try {
      // The claim may have waited for the database beyond the validity (P8).
      if (nowMs >= claimed.expiresAt) outcome = tooLate
      else if (device === null || isPull(device.link) || !device.isHeld)
        outcome = { kind: 'unavailable', detail: 'This node does not run the device any more.' }
      else outcome = await device.link.submit(handOverOf(claimed, nowMs))
      if (!isSound(outcome)) throw new TypeError('it told an outcome that makes no sense')
    } catch (error) {
      log.error(
        { err: error, device_id: claimed.deviceId, attempt_id: claimed.attemptId },
        'a connector threw instead of answering',
      )
      outcome = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'The connector failed.' }
    }
    metrics.handedOver(outcome.kind)
    const stored = this.#settle.add({ claimed, device, outcome })
    if (outcome.kind === 'unknown') this.#doubtful.add({ claimed, networkIds: outcome.networkIds, stored })
    await stored
    this.#ended()
  }

  #ended(): void {
    this.#open -= 1
    if (this.#open === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  /**
   * An outcome is evidence: it is offered to the database until it is stored. Its room on the device is free as soon as the store is
   * under way: the writer keeps order, so the claim that takes the room is flushed with it or after it, and a crash finds no more
   * open hand-overs than the window holds. That saves a flush in each turn of a window.
   */
  async #storeOutcomes(outcomes: readonly Ended[], earlierTries = 0): Promise<void[]> {
    let ended = outcomes
    const { units, clock, metrics } = this.#deps
    for (let tries = earlierTries; ; tries++) {
      try {
        const nowMs = clock.now()
        const dueMs = this.#queueClock.now()
        const settlements = settlementsOf(ended, nowMs, dueMs)
        const stored = units.settleOutcomes(settlements)
        if (tries === 0) this.#makeRoom(ended)
        for (const status of await stored) if (status !== null) metrics.advanced(status)
        this.#wakeWhenDue(settlements, dueMs)
        return ended.map(() => undefined)
      } catch (error) {
        const { log: logged, clock: time } = this.#deps
        logged.error(
          { err: error, outcomes: ended.length },
          'outcomes could not be stored; they are kept and offered again',
        )
        if (ended.length > 1 && !isPassing(error)) return this.#storeOneByOne(ended, tries)
        // What cannot be stored as it was told is not known.
        if (!isPassing(error)) ended = ended.map((each) => ({ ...each, outcome: notTold }))
        await new Promise<void>((resolve) => time.schedule(storeRetryMs, resolve))
      }
    }
  }

  /** One outcome that the database will not take must not keep the others. */
  async #storeOneByOne(ended: readonly Ended[], tries: number): Promise<void[]> {
    const stored: void[] = []
    for (const each of ended) stored.push(...(await this.#storeOutcomes([each], tries + 1)))
    return stored
  }

  #makeRoom(ended: readonly Ended[]): void {
    for (const { device, outcome } of ended) device?.closed(outcome)
    if (this.#ring.size > 0) this.nudge()
  }

  /** One timer for each route and batch; should it be lost, the poll finds what is due. */
  #wakeWhenDue(settlements: readonly Settlement[], fromMs: number): void {
    for (const { route, atMs } of dueRoutes(settlements))
      this.#deps.clock.schedule(atMs - fromMs, () => this.wake(route))
  }

  async #storeReceipts(words: readonly Omit<ReceiptWord, 'atMs'>[]): Promise<void[]> {
    const { units, clock, metrics } = this.#deps
    // Stamped when they are written, not when they came: history relies on no change appearing behind its horizon.
    const atMs = clock.now()
    const stamped = words.map((word) => ({ ...word, atMs }))
    for (const { status } of await units.settleReceipts(stamped)) metrics.advanced(status)
    return words.map(() => undefined)
  }
}

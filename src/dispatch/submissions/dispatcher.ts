import type { Batcher } from '../../runtime/batcher.ts'
import type { Clock } from '../../runtime/clock.ts'
import { isPull, type Outcome, type Receipt } from '../../connectors/connector.ts'
import type { Service } from '../../process/lifecycle.ts'
import type { Log } from '../../process/log.ts'
import type { Claimed, Want } from '../../messages/queue/claim-messages.ts'
import type { ReceiptWord } from '../../messages/outcomes/receipt-readings.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { planClaims, type Route } from '../routes/choose-device.ts'
import { OrphanedClaims } from './orphaned-claims.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { DispatchUnits } from './dispatch-units.ts'
import { UnknownOutcome } from './unknown-outcome.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { type FinishedSubmission, givenBack, isOfDevice } from './finished-submission.ts'
import { submitClaimed, type SubmissionDeps } from './submission.ts'
import type { SubmissionLog } from './submission-log.ts'
import { QueueClock } from '../routes/queue-clock.ts'
import { ReadyClaims } from './ready-claims.ts'
import { createReceiptStore } from './receipt-store.ts'
import { RouteRefill } from '../routes/route-refill.ts'
import { RouteRing } from '../routes/route-ring.ts'
import { OutcomeStore } from './outcome-store.ts'
import { PhoneWaker } from '../devices/phone-waker.ts'
import { isSound, notTold } from './valid-outcome.ts'

export interface DispatcherDeps {
  read: Db
  units: DispatchUnits
  clock: Clock
  log: Log
  metrics: Metrics
  pool: DevicePool
  submissionLog?: Pick<SubmissionLog, 'left' | 'ended' | 'stored'>
  /** See `SubmissionDeps`. */
  hasStopped?: NonNullable<SubmissionDeps['hasStopped']>
  hasJustStopped?: NonNullable<SubmissionDeps['hasJustStopped']>
  /** This process's fencing token: the epoch of its start. */
  fence: number
  pollIntervalMs: number
}

/** Bounds one claim: more routes wait for the next round. */
const maxRoutesPerRound = 256
/** Nearly no claim takes longer, whatever waits for the database. */
const lateAnswerMs = 1_000

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
  readonly #outcomes: OutcomeStore
  readonly #receive: Batcher<Omit<ReceiptWord, 'atMs'>, void>
  readonly #doubtful = new UnknownOutcome()
  readonly #caller: PhoneWaker
  readonly #ready: ReadyClaims
  #round: Promise<void> | null = null
  #again = false
  #stopped = true
  /** Attempts whose end is not stored yet, and when they were claimed (monotonic). */
  readonly #open = new Map<string, number>()
  /** Attempts that stand open though they have ended: the database takes no word of theirs. */
  readonly #leftAside = new Set<string>()
  readonly #inDoubt: OrphanedClaims
  #submitted = 0
  #cancelPoll: () => void = () => undefined
  /** Settles when the poll under way has looked, and the next one is scheduled. */
  #polled: Promise<void> = Promise.resolve()
  #whenIdle: (() => void)[] = []

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#refill = new RouteRefill(deps.read, this.#ring)
    this.#queueClock = new QueueClock(deps.clock)
    this.#caller = new PhoneWaker(deps)
    this.#ready = new ReadyClaims({
      isUp: (device) => !this.#stopped && deps.pool.get(device.facts.id) === device && device.canLeave,
      leave: (claimed, device) => void this.#leave(claimed, device),
      giveBack: (claimed, device) => void this.#giveBack(claimed, device),
    })
    this.#outcomes = new OutcomeStore({
      ...deps,
      dueNow: this.dueNow,
      makeRoom: (ended) => this.#makeRoom(ended),
      wake: (route) => this.wake(route),
    })
    this.#inDoubt = new OrphanedClaims({
      log: deps.log,
      readOpen: () => deps.units.readOpen(deps.fence),
      isKnown: (attemptId) => this.#open.has(attemptId) || this.#leftAside.has(attemptId),
      end: (claimed, outcome) => this.#endHere({ claimed, device: null, outcome }),
    })
    this.#receive = createReceiptStore(deps, () => this.#outcomes.posted())
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
    // The next start would not know that it never left.
    await this.#inDoubt.resolveAtLast()
    this.#ready.giveAllBack()
    // The pool stops its links behind this: a half that its link keeps for minutes would keep the process, too.
    for (const { link } of this.#deps.pool.all) if (!isPull(link)) link.hurry?.()
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  /** The time by which what waits is due, which never steps back. */
  readonly dueNow = (): number => this.#queueClock.now()

  /** The database was put back while this process went on: what stands open there had perhaps ended. */
  wasPutBack(): void {
    this.#inDoubt.forgotten()
    this.nudge()
  }

  /** Says that something waits on a route. Only an optimisation: the poll would find it. */
  wake(route: Route): void {
    this.#ring.add(route)
    this.nudge()
  }

  /** Looks for work now: after a change of devices or of their room. */
  nudge(): void {
    this.#ready.tend()
    if (this.#stopped) return
    this.#again = true
    this.#round ??= this.#rounds()
      .catch((error: unknown) => {
        this.#again = false
        this.#deps.log.error({ err: error }, 'a round of claims failed; the next poll tries again')
      })
      .finally(() => {
        this.#round = null
        if (this.#again && this.#ring.size > 0) this.nudge()
      })
  }

  /** Settles after a poll that found nothing to claim, with every hand-over stored and the next poll scheduled: for tests. */
  async drain(): Promise<void> {
    // Its look into the queue may be overtaken by the one below, on another connection.
    await this.#polled
    for (let before = -1; before !== this.#submitted;) {
      before = this.#submitted
      await this.#refill.now()
      this.nudge()
      // A nudge as a round ends begins the next one.
      while (this.#round !== null) await this.#round
      if (this.#open.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
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
    // Its own entry: that of the attempt may go while this one waits for it.
    const name = `late/${attemptId}`
    this.#open.set(name, this.#deps.clock.monotonicMs())
    await doubt.stored
    const word = { claimed: doubt.claimed, device: null, outcome, knownIds: doubt.networkIds }
    this.#ended(name, await this.#outcomes.add(word))
  }

  #poll(): void {
    if (this.#stopped) return
    // It has to see the wall clock ahead to go on when that steps back.
    this.#queueClock.now()
    this.#polled = this.#refill
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
    await this.#inDoubt.resolve()
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
    const [askedAtMs, nowMs] = [clock.monotonicMs(), clock.now()]
    try {
      const dueMs = this.#queueClock.now()
      const { claimed, counts } = await units.claim({ wants, nowMs, dueMs, fence })
      const answeredAtMs = clock.monotonicMs()
      // An answer that was long on its way tells of what was: whoever said STOP since is to be asked for (P9).
      const claimedAtMs = answeredAtMs - askedAtMs > lateAnswerMs ? askedAtMs : answeredAtMs
      for (const claim of claimed) {
        this.#open.set(claim.attemptId, claimedAtMs)
        this.#submitted += 1
        pool.get(claim.deviceId)?.opened(claim.parts)
      }
      for (const claim of claimed) this.#submit(claim)
      return counts
    } catch (error) {
      this.#inDoubt.failed(nowMs)
      log.error({ err: error }, 'nothing could be claimed; trying again')
      return wants.map(() => 0)
    }
  }

  /** Flushed by now. Whatever happens from here on, the attempt ends once, with an outcome. */
  #submit(claimed: Claimed): void {
    const device = this.#deps.pool.get(claimed.deviceId)
    if (device === null || claimed.loggedBy === undefined) void this.#leave(claimed, device)
    else if (this.#stopped) void this.#giveBack(claimed, device)
    else this.#ready.add(claimed, device)
  }

  async #leave(claimed: Claimed, device: DeviceRuntime | null): Promise<void> {
    const { metrics, submissionLog, clock } = this.#deps
    const nowMs = clock.monotonicMs()
    device?.submitted()
    const waitedMs = nowMs - (this.#open.get(claimed.attemptId) ?? nowMs)
    const outcome = await submitClaimed(this.#deps, claimed, device, waitedMs)
    device?.answered()
    if (claimed.loggedBy !== undefined) submissionLog?.ended(claimed.attemptId, outcome)
    if (device !== null) this.#ready.fill(device)
    metrics.submitted(outcome.kind)
    const stored = this.#outcomes.add({ claimed, device, outcome })
    if (outcome.kind === 'unknown') this.#doubtful.add({ claimed, networkIds: outcome.networkIds, stored })
    const isStored = await stored
    if (isStored) submissionLog?.stored(claimed.attemptId)
    // It stays in the log as one that has left: in the words that the database refused the next start could not store it either.
    else if (claimed.loggedBy !== undefined) submissionLog?.ended(claimed.attemptId, notTold)
    this.#ended(claimed.attemptId, isStored)
  }

  async #giveBack(claimed: Claimed, device: DeviceRuntime | null): Promise<void> {
    device?.gaveBack()
    await this.#endHere({ claimed, device: null, outcome: givenBack })
  }

  /** The end of what has not left from here. */
  async #endHere(end: FinishedSubmission): Promise<void> {
    const { attemptId } = end.claimed
    if (!this.#open.has(attemptId)) this.#open.set(attemptId, this.#deps.clock.monotonicMs())
    this.#ended(attemptId, await this.#outcomes.add(end))
  }

  #ended(attemptId: string, isStored = true): void {
    this.#open.delete(attemptId)
    if (!isStored) this.#leftAside.add(attemptId)
    if (this.#open.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  #makeRoom(ended: readonly FinishedSubmission[]): void {
    for (const { device, outcome, claimed } of ended)
      if (isOfDevice(outcome)) device?.closed(outcome, claimed)
      else device?.gaveBack()
    if (this.#ring.size > 0) this.nudge()
  }
}

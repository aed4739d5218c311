import type { Clock } from '../../runtime/clock.ts'
import { isPull, type Outcome, type Receipt } from '../../connectors/connector.ts'
import type { Service } from '../../process/lifecycle.ts'
import type { Log } from '../../process/log.ts'
import type { Claimed, ClaimRequest } from '../../messages/queue/claim-messages.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Route } from '../routes/candidate.ts'
import { ClaimPlanner } from '../routes/claim-planner.ts'
import { OrphanedClaims } from './orphaned-claims.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { DispatchUnits } from './dispatch-units.ts'
import { readUnknown, UnknownOutcome } from './unknown-outcome.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { type FinishedSubmission, isOfDevice, releasedClaim } from './finished-submission.ts'
import { submitClaimed, type SubmissionDeps } from './submission.ts'
import type { SubmissionLog } from './submission-log.ts'
import { QueueClock } from '../routes/queue-clock.ts'
import { ReadyClaims } from './ready-claims.ts'
import { createReceiptStore } from './receipt-store.ts'
import { RouteRefill } from '../routes/route-refill.ts'
import { RouteRing } from '../routes/route-ring.ts'
import { OutcomeStore } from './outcome-store.ts'
import { PhoneWaker } from '../devices/phone-waker.ts'
import { invalidOutcome, isValidOutcome } from '../outcomes/valid-outcome.ts'

export interface DispatcherDeps {
  read: Db
  units: DispatchUnits
  clock: Clock
  log: Log
  metrics: Metrics
  pool: DevicePool
  submissionLog?: Pick<SubmissionLog, 'logSubmissions' | 'logOutcome' | 'forget'>
  /** See `SubmissionDeps`. */
  hasOptedOut?: NonNullable<SubmissionDeps['hasOptedOut']>
  isKnownOptedOut?: NonNullable<SubmissionDeps['isKnownOptedOut']>
  /** This process's fencing token: the epoch of its start. */
  fence: number
  pollIntervalMs: number
}

/** Almost every claim is faster, regardless of the load of the database. */
const lateResponseMs = 1_000

/**
 * Queued → submitted. Each round takes the routes whose turn it is, finds a device with room for each, claims
 * for all in one unit, and submits what was flushed. Wake-ups make it fast; the poll of `queue_totals` makes
 * it reliable. A device's response is kept until it is stored.
 */
export class Dispatcher implements Service {
  readonly #deps: DispatcherDeps
  readonly #ring = new RouteRing()
  readonly #refill: RouteRefill
  readonly #planner: ClaimPlanner
  #queueClock: QueueClock
  readonly #outcomes: OutcomeStore
  readonly #receipts: ReturnType<typeof createReceiptStore>
  readonly #unknown = new UnknownOutcome()
  readonly #waker: PhoneWaker
  readonly #ready: ReadyClaims
  #round: Promise<void> | null = null
  #again = false
  #stopped = true
  /** Attempts whose outcome is not stored yet, and when they were claimed (monotonic). */
  readonly #open = new Map<string, number>()
  /** Attempts that stay open although they are final: the database accepts no outcome of theirs. */
  readonly #leftAside = new Set<string>()
  readonly #orphans: OrphanedClaims
  #claimedTotal = 0
  #cancelPoll: () => void = () => undefined
  /** Settles when the running poll has read the queue and scheduled the next one. */
  #polled: Promise<void> = Promise.resolve()
  #whenIdle: (() => void)[] = []

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#refill = new RouteRefill({ read: deps.read, routes: deps.pool.routes }, this.#ring)
    this.#planner = new ClaimPlanner(deps)
    this.#queueClock = new QueueClock(deps.clock)
    this.#waker = new PhoneWaker(deps)
    this.#ready = new ReadyClaims({
      isUp: (device) => !this.#stopped && deps.pool.get(device.facts.id) === device && device.canSubmit,
      submit: (claimed, device) => void this.#submit(claimed, device),
      release: (claimed, device) => void this.#releaseClaim(claimed, device),
    })
    this.#outcomes = new OutcomeStore({
      ...deps,
      dueNow: this.dueNow,
      makeRoom: (ended) => this.#makeRoom(ended),
      wake: (route) => this.wake(route),
    })
    this.#orphans = new OrphanedClaims({
      log: deps.log,
      readOpen: () => deps.units.readOpen(deps.fence),
      isKnown: (attemptId) => this.#open.has(attemptId) || this.#leftAside.has(attemptId),
      end: (claimed, outcome) => this.#endHere({ claimed, device: null, outcome }),
    })
    this.#receipts = createReceiptStore(deps, () => this.#outcomes.posted())
  }

  async start(): Promise<void> {
    this.#queueClock = new QueueClock(this.#deps.clock)
    await this.#queueClock.catchUp(this.#deps.read)
    this.#stopped = false
    this.#poll()
  }

  /** Stops claiming; settles when the outcome of every open attempt is stored. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelPoll()
    await this.#round
    // The next start would not know that it was never submitted.
    await this.#orphans.resolveAtLast()
    this.#ready.releaseAll()
    // The pool stops its links later: half a message that its link keeps for minutes would keep the process alive, too.
    for (const { link } of this.#deps.pool.all) if (!isPull(link)) link.hurry?.()
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  /** The time by which queued messages are due; never steps back. */
  readonly dueNow = (): number => this.#queueClock.now()

  /** The database was restored while this process ran: what is open in it may be final here. */
  wasRestored(): void {
    this.#orphans.restored()
    this.nudge()
  }

  /** Reports that a route has something queued. Only an optimisation: the poll would find it. */
  wake(route: Route): void {
    this.#deps.pool.routes.whenKnown(route, () => {
      this.#ring.add(route)
      this.nudge()
    })
  }

  /** Looks for work now: after a change of devices or of their room. */
  nudge(): void {
    this.#ready.tend()
    if (this.#stopped) return
    this.#again = true
    this.#round ??= this.#rounds()
      .catch((error: unknown) => {
        this.#again = false
        this.#deps.log.error({ err: error }, 'a round of claims failed; the next poll retries')
      })
      .finally(() => {
        this.#round = null
        if (this.#again && this.#ring.size > 0) this.nudge()
      })
  }

  /** For tests: settles after a poll that found nothing, with every outcome stored and the next poll scheduled. */
  async drain(): Promise<void> {
    // Its read of the queue may be overtaken by the one below, on another connection.
    await this.#polled
    for (let before = -1; before !== this.#claimedTotal;) {
      before = this.#claimedTotal
      await this.#refill.now()
      this.nudge()
      // A nudge while a round ends begins the next one.
      while (this.#round !== null) await this.#round
      if (this.#open.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
    }
  }

  /** Stores a connector's receipt. Settles when it is stored, rejects when it could not be. */
  receipt(deviceId: string, receipt: Receipt): Promise<void> {
    return this.#receipts.add({ ...receipt, deviceId })
  }

  /** Stores the outcome of an attempt, of any process, that was final as `unknown`. It corrects, and never resends. */
  async lateOutcome(deviceId: string, attemptId: string, outcome: Outcome): Promise<void> {
    if (!isValidOutcome(outcome) || outcome.kind === 'unknown') return
    const named = { deviceId, attemptId, outcome }
    const unknown = this.#unknown.take(named) ?? (await readUnknown(this.#deps.read, named))
    if (unknown === null) return
    // An entry of its own: that of the attempt may be removed while this one waits for it.
    const name = `late/${attemptId}`
    this.#open.set(name, this.#deps.clock.monotonicMs())
    await unknown.stored
    const late = { claimed: unknown.claimed, device: null, outcome, isLate: true as const }
    this.#ended(name, await this.#outcomes.add(late))
  }

  #poll(): void {
    if (this.#stopped) return
    // It must see the wall clock ahead, to continue when that steps back.
    this.#queueClock.now()
    this.#polled = this.#refill
      .now()
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'failed to read the queue; retrying'))
      .then(() => {
        this.nudge()
        this.#cancelPoll = this.#deps.clock.schedule(this.#deps.pollIntervalMs, () => this.#poll())
      })
  }

  async #rounds(): Promise<void> {
    // Routes in a row whose device had no room: if the whole ring is like that, the next finished attempt nudges.
    let busyInARow = 0
    await this.#orphans.resolve()
    while ((this.#again || busyInARow < this.#ring.size) && !this.#stopped) {
      this.#again = false
      const routes = this.#ring.take()
      if (routes.length === 0) return
      const { requests, calls, busy } = this.#planner.plan(routes)
      this.#waker.call(calls)
      // A route that found no room precedes those that were served (P10).
      const claiming = requests.length > 0 ? this.#claim(requests) : Promise.resolve([])
      for (const route of busy) this.#ring.add(route)
      const counts = await claiming
      busyInARow = counts.some((count) => count > 0) ? 0 : busyInARow + busy.length
      const byName = new Map(routes.map((route) => [`${route.accountId}/${route.routeKey}`, route]))
      this.#planner.found(requests, counts)
      // A route that got all it asked for may have more.
      for (const [i, { accountId, routeKey, quota }] of requests.entries())
        if (counts[i] === quota) this.#ring.add(byName.get(`${accountId}/${routeKey}`) as Route)
    }
  }

  async #claim(requests: readonly ClaimRequest[]): Promise<number[]> {
    const { units, clock, fence, log, pool } = this.#deps
    const [askedAtMs, nowMs] = [clock.monotonicMs(), clock.now()]
    try {
      const dueMs = this.#queueClock.now()
      const { claimed, found, ...used } = await units.claim({ requests, nowMs, dueMs, fence })
      pool.plans.claimed(used)
      const answeredAtMs = clock.monotonicMs()
      // A late response shows an old state: opt-outs since then must be checked (P9).
      const claimedAtMs = answeredAtMs - askedAtMs > lateResponseMs ? askedAtMs : answeredAtMs
      for (const claim of claimed) {
        this.#open.set(claim.attemptId, claimedAtMs)
        this.#claimedTotal += 1
        pool.get(claim.deviceId)?.claimed(claim.parts)
      }
      for (const claim of claimed) this.#queueForLink(claim)
      return found
    } catch (error) {
      this.#orphans.failed(nowMs)
      log.error({ err: error }, 'failed to claim messages; retrying')
      return requests.map(() => 0)
    }
  }

  /** Flushed by now. From here on the attempt ends exactly once, with an outcome. */
  #queueForLink(claimed: Claimed): void {
    const device = this.#deps.pool.get(claimed.deviceId)
    if (device === null || claimed.loggedBy === undefined) void this.#submit(claimed, device)
    else if (this.#stopped) void this.#releaseClaim(claimed, device)
    else this.#ready.add(claimed, device)
  }

  async #submit(claimed: Claimed, device: DeviceRuntime | null): Promise<void> {
    const { metrics, submissionLog, clock } = this.#deps
    const nowMs = clock.monotonicMs()
    device?.submitted()
    const waitedMs = nowMs - (this.#open.get(claimed.attemptId) ?? nowMs)
    const outcome = await submitClaimed(this.#deps, claimed, device, waitedMs)
    device?.answered()
    if (claimed.loggedBy !== undefined) submissionLog?.logOutcome(claimed.attemptId, outcome)
    if (device !== null) this.#ready.fill(device)
    metrics.submitted(outcome.kind)
    const stored = this.#outcomes.add({ claimed, device, outcome })
    if (outcome.kind === 'unknown') this.#unknown.add({ claimed, stored })
    const isStored = await stored
    if (isStored) submissionLog?.forget(claimed.attemptId)
    // It stays in the log as submitted: the next start could not store the outcome that the database refused either.
    else if (claimed.loggedBy !== undefined) submissionLog?.logOutcome(claimed.attemptId, invalidOutcome)
    this.#ended(claimed.attemptId, isStored)
  }

  async #releaseClaim(claimed: Claimed, device: DeviceRuntime | null): Promise<void> {
    device?.released()
    await this.#endHere({ claimed, device: null, outcome: releasedClaim })
  }

  /** Ends an attempt that was not submitted here. */
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
      if (isOfDevice(outcome)) device?.finished(outcome, claimed)
      else device?.released()
    if (this.#ring.size > 0) this.nudge()
  }
}

import { Batcher } from '../../runtime/batcher.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../process/log.ts'
import type { Settlement } from '../../messages/outcomes/settlement.ts'
import type { Metrics } from '../../process/metrics.ts'
import { failsAlone, isTransient, isInputFault } from '../../storage/seam/dialect.ts'
import { anotherIn } from './another-device.ts'
import type { Route } from '../routes/candidate.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { DispatchUnits } from './dispatch-units.ts'
import { dueRoutes } from '../routes/due-routes.ts'
import { type FinishedSubmission, settlementsOf } from './finished-submission.ts'
import { busyBackoffMs } from '../outcomes/retry-policy.ts'
import { invalidOutcome } from '../outcomes/valid-outcome.ts'

interface Deps {
  units: Pick<DispatchUnits, 'settleOutcomes'>
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'advanced'>
  /** The time of the queue. */
  dueNow(): number
  pool: Pick<DevicePool, 'candidatesFor' | 'routes'>
  /** Called when these are being stored: the room that they took is free. */
  makeRoom(ended: readonly FinishedSubmission[]): void
  /** Called when something is queued on the route. */
  wake(route: Route): void
}

/** Outcomes that share one unit; limits how long a transaction can last. */
const maxBatch = 1_000
const storeRetryMs = 250
/**
 * How often the database may refuse one outcome, the first time in its original form, before it is left
 * aside: within 1 s.
 */
const maxRefusals = 5

/** Stores the outcomes of submissions, regardless of database failures. */
export class OutcomeStore {
  readonly #deps: Deps
  readonly #batcher: Batcher<FinishedSubmission, boolean>
  #whenPosted: (() => void)[] = []

  constructor(deps: Deps) {
    this.#deps = deps
    this.#batcher = new Batcher((take) => this.#store(take()), { maxWeight: maxBatch })
  }

  /** Settles when it is stored, with true; with false for one that the database accepts in no form. */
  add(ended: FinishedSubmission): Promise<boolean> {
    return this.#batcher.add(ended)
  }

  /**
   * Settles when the outcomes so far are on their way to the database, or cannot be for now. A receipt stored
   * after them finds its message, which costs half as much as keeping it unmatched.
   */
  async posted(): Promise<void> {
    if (this.#batcher.waiting > 0) await new Promise<void>((resolve) => this.#whenPosted.push(resolve))
  }

  /**
   * An outcome is evidence: it is retried until it is stored. One that the database refuses even as unknown
   * is left aside, so that it delays no other. Its attempt stays open, and the next start of this node, or
   * the rescuer of another, tries to end it.
   *
   * Its room on the device is free as soon as the write has begun. The writer keeps order, so the claim that
   * takes the room is flushed with it or after it, and a crash finds no more open attempts than the window
   * allows. That saves a flush in each turn of a window.
   */
  async #store(outcomes: readonly FinishedSubmission[], earlierAttempts = 0): Promise<boolean[]> {
    let ended = outcomes
    let refusals = 0
    const { units, clock, metrics, dueNow, makeRoom, pool } = this.#deps
    for (let attempts = earlierAttempts; ; attempts++) {
      try {
        const nowMs = clock.now()
        const dueMs = dueNow()
        const settlements = settlementsOf(ended, nowMs, dueMs, anotherIn(pool))
        const stored = units.settleOutcomes(settlements)
        this.#notifyPosted()
        if (attempts === 0) makeRoom(ended)
        for (const status of await stored) if (status !== null) metrics.advanced(status)
        this.#wakeWhenDue(settlements, dueMs)
        return ended.map(() => true)
      } catch (error) {
        this.#notifyPosted()
        const { log: logged, clock: time } = this.#deps
        logged.error({ err: error, outcomes: ended.length }, 'failed to store outcomes; retrying')
        if (ended.length > 1 && !isTransient(error)) return this.#storeOneByOne(ended, attempts)
        refusals += failsAlone(error) ? 1 : 0
        if (refusals === maxRefusals) return [this.#leaveAside(ended)]
        // An outcome that cannot be stored in its original form becomes unknown.
        if (isInputFault(error)) ended = ended.map((each) => ({ ...each, outcome: invalidOutcome }))
        await new Promise<void>((resolve) => time.schedule(storeRetryMs, resolve))
      }
    }
  }

  #notifyPosted(): void {
    for (const resolve of this.#whenPosted.splice(0)) resolve()
  }

  /** Stores each on its own: one outcome that the database refuses must not delay the others. */
  async #storeOneByOne(ended: readonly FinishedSubmission[], attempts: number): Promise<boolean[]> {
    const stored: boolean[] = []
    for (const each of ended) stored.push(...(await this.#store([each], attempts + 1)))
    return stored
  }

  #leaveAside(ended: readonly FinishedSubmission[]): false {
    const attempts = ended.map(({ claimed }) => claimed.attemptId)
    this.#deps.log.error(
      { attempts },
      'the database refuses an outcome, which is left aside: the next start, or the rescuer of another node, tries to end it',
    )
    return false
  }

  /**
   * One timer for each route and batch; should it be lost, the poll finds what is due. What kept its place is
   * sent once its device has rested.
   */
  #wakeWhenDue(settlements: readonly Settlement[], fromMs: number): void {
    for (const { route, atMs } of dueRoutes(settlements)) {
      const waitMs = atMs < fromMs ? busyBackoffMs : atMs - fromMs
      this.#deps.clock.schedule(waitMs, () => this.#deps.wake(route))
    }
  }
}

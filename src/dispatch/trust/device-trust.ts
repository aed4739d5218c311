import type { Clock } from '../../runtime/clock.ts'
import type { Outcome } from '../../connectors/connector.ts'
import type { Log } from '../../process/log.ts'
import { Breaker, type BreakerState } from './breaker.ts'
import type { DeviceFacts } from '../configuration/device-facts.ts'
import { type Addressed, FaultDetector, maxFaults } from './doubt.ts'

const silentReason = 'repeated_unknown'
const failingReason = 'repeated_failures'

interface TrustDeps {
  clock: Pick<Clock, 'monotonicMs'>
  log: Log
  breakerRestMs: number
}

/**
 * How far a device is trusted, by the outcomes of its submissions: distrusted after five faults (doubt.ts),
 * unused after twenty without a response (breaker.ts).
 */
export class DeviceTrust {
  readonly #deps: TrustDeps
  readonly #breaker: Breaker
  readonly #detector: FaultDetector

  constructor(deps: TrustDeps) {
    this.#deps = deps
    this.#breaker = new Breaker(deps.breakerRestMs)
    this.#detector = new FaultDetector(deps.breakerRestMs)
  }

  get isDoubted(): boolean {
    return this.#detector.isDoubted
  }

  /** Whether its last message failed. */
  get hasFailed(): boolean {
    return this.#detector.faults > 0
  }

  /** How many succeeded since the last fault. */
  get goodInARow(): number {
    return this.#detector.good
  }

  /**
   * How many it may hold next to a healthy device: with those that failed since its last success, no more
   * than a new fault may cost.
   */
  get maxWithOthers(): number {
    return Math.max(0, maxFaults - this.#detector.faults)
  }

  /** Whether it may be used now, fully or half open, alone or next to healthy devices. */
  state(hasOthers = false): BreakerState {
    const nowMs = this.#deps.clock.monotonicMs()
    const state = this.#breaker.stateAt(nowMs)
    if (state === 'open' || !this.#detector.isDoubted) return state
    return this.#detector.mayProbe(nowMs, hasOthers) ? 'trial' : 'open'
  }

  /** Whether it is unused, regardless of other devices. */
  get isUnused(): boolean {
    return this.#breaker.stateAt(this.#deps.clock.monotonicMs()) === 'open'
  }

  /** Whether it is distrusted or unused. */
  get isDistrusted(): boolean {
    return this.reasons.length > 0
  }

  get reasons(): string[] {
    if (this.#breaker.stateAt(this.#deps.clock.monotonicMs()) !== 'closed') return [silentReason]
    return this.#detector.isDoubted ? [failingReason] : []
  }

  /**
   * How long ago it was last found unresponsive or failing: what it was given before is no evidence for its
   * probe. Null while it is trusted.
   */
  get distrustedForMs(): number | null {
    const nowMs = this.#deps.clock.monotonicMs()
    const ages = [this.#breaker.openedForMs(nowMs), this.#detector.doubtedForMs(nowMs)]
    const known = ages.filter((ageMs) => ageMs !== null)
    return known.length === 0 ? null : Math.min(...known)
  }

  /** Records an outcome; returns whether it changed the trust in the device. */
  record(
    outcome: Outcome,
    { id, name, accountId }: Pick<DeviceFacts, 'id' | 'name' | 'accountId'>,
    message?: Addressed,
  ): boolean {
    const { clock, log } = this.#deps
    const device = { device_id: id, name }
    const nowMs = clock.monotonicMs()
    const fault = this.#detector.record(
      outcome,
      nowMs,
      message && { ...message, isShared: accountId === null },
    )
    const change = this.#breaker.record(outcome, nowMs)
    if (change === 'opened')
      log.error(
        device,
        'too many submissions to a device got no response: it gets no more until it is changed, or has rested and is probed',
      )
    else if (fault === 'began')
      log.warn(
        device,
        'a device fails repeatedly: others carry what they can instead, and it is probed with one message at a time',
      )
    if ((change === 'closed' || fault === 'ended') && this.state() === 'closed')
      log.warn(device, 'a device has recovered and is used as before')
    return change !== null || fault !== null
  }

  /** Restores the trust after the device was changed. */
  reset(): void {
    this.#breaker.reset()
    this.#detector.reset()
  }
}

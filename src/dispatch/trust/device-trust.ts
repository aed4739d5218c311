import type { Clock } from '../../runtime/clock.ts'
import type { Outcome } from '../../connectors/connector.ts'
import type { Log } from '../../process/log.ts'
import { Breaker, type BreakerState } from './breaker.ts'
import type { DeviceFacts } from './device-facts.ts'
import { type Addressed, Doubt, maxFaults } from './doubt.ts'

const silentReason = 'repeated_unknown'
const failingReason = 'repeated_failures'

interface TrustDeps {
  clock: Pick<Clock, 'monotonicMs'>
  log: Log
  breakerRestMs: number
}

/** How far a device is trusted, by what its hand-overs came to: doubted after five that failed (doubt.ts), left alone after twenty without an answer (breaker.ts). */
export class DeviceTrust {
  readonly #deps: TrustDeps
  readonly #breaker: Breaker
  readonly #doubt: Doubt

  constructor(deps: TrustDeps) {
    this.#deps = deps
    this.#breaker = new Breaker(deps.breakerRestMs)
    this.#doubt = new Doubt(deps.breakerRestMs)
  }

  get isDoubted(): boolean {
    return this.#doubt.isDoubted
  }

  /** It failed with the last that it was given. */
  get hasFailed(): boolean {
    return this.#doubt.faults > 0
  }

  /** So many went well since the last that failed. */
  get goodInARow(): number {
    return this.#doubt.good
  }

  /** So many it may hold beside a sound device: with those that failed since the last that went well, no more than are lost to a new fault. */
  get maxBeside(): number {
    return Math.max(0, maxFaults - this.#doubt.faults)
  }

  /** Whether it may be used now, in full or on trial, where it is alone or beside sound devices. */
  state(isBeside = false): BreakerState {
    const nowMs = this.#deps.clock.monotonicMs()
    const state = this.#breaker.stateAt(nowMs)
    if (state === 'open' || !this.#doubt.isDoubted) return state
    return this.#doubt.mayTry(nowMs, isBeside) ? 'trial' : 'open'
  }

  /** Whether it is left alone, whatever else there is. */
  get isGivenUp(): boolean {
    return this.#breaker.stateAt(this.#deps.clock.monotonicMs()) === 'open'
  }

  /** Doubted, or left alone. */
  get isDistrusted(): boolean {
    return this.reasons.length > 0
  }

  get reasons(): string[] {
    if (this.#breaker.stateAt(this.#deps.clock.monotonicMs()) !== 'closed') return [silentReason]
    return this.#doubt.isDoubted ? [failingReason] : []
  }

  /** How long ago it was last found not to answer, or to fail: what it was given before that tells nothing of its trial. Null while it is trusted. */
  get distrustedForMs(): number | null {
    const nowMs = this.#deps.clock.monotonicMs()
    const ages = [this.#breaker.openedForMs(nowMs), this.#doubt.doubtedForMs(nowMs)]
    const known = ages.filter((ageMs) => ageMs !== null)
    return known.length === 0 ? null : Math.min(...known)
  }

  /** Takes an outcome in; gives whether that changed how far the device is trusted. */
  heard(
    outcome: Outcome,
    { id, name, accountId }: Pick<DeviceFacts, 'id' | 'name' | 'accountId'>,
    message?: Addressed,
  ): boolean {
    const { clock, log } = this.#deps
    const device = { device_id: id, name }
    const nowMs = clock.monotonicMs()
    const doubt = this.#doubt.heard(outcome, nowMs, message && { ...message, isShared: accountId === null })
    const change = this.#breaker.heard(outcome, nowMs)
    if (change === 'opened')
      log.error(
        device,
        'too many hand-overs to a device ended without an answer: it gets no more until it was looked at and changed, or has rested and is tried',
      )
    else if (doubt === 'began')
      log.warn(
        device,
        'a device fails again and again: others carry what they can in its place, and it is tried with one message at a time',
      )
    if ((change === 'closed' || doubt === 'ended') && this.state() === 'closed')
      log.warn(device, 'a device works again: it is used as before')
    return change !== null || doubt !== null
  }

  /** Somebody saw to it. */
  reset(): void {
    this.#breaker.reset()
    this.#doubt.reset()
  }
}

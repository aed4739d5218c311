import type { Clock } from '../clock.ts'
import type { Health, Link, Outcome } from '../connectors/connector.ts'
import type { Mode } from '../storage/schema.ts'
import type { Candidate } from './choose-device.ts'
import { Pace } from './pace.ts'

/** What of a device's row decides how it is run. */
export interface DeviceFacts {
  id: string
  accountId: string | null
  mode: Mode
  kind: string
  name: string
  senders: ReadonlySet<string>
  pace: { partsPerWindow: number; windowSeconds: number } | null
}

export interface Throughput {
  partsPerWindow: number
  windowSeconds: number
  remaining: number
  resetsInMs: number
  resetsAt: number | null
}

/** After a throttled or unreachable answer the device rests this long; other devices lose nothing. */
const restMs = 1_000
/** A message has at most this many parts, so a claim of `remaining / 10` messages cannot pass the pace by more than one message. */
const mostParts = 10

/** One running device: its link, what is open on it, and how fast it may go. */
export class DeviceRuntime {
  readonly link: Link
  readonly #clock: Clock
  #facts: DeviceFacts
  #pace: Pace | null
  #open = 0
  #restsUntilMs = Number.NEGATIVE_INFINITY
  #lastSentAt: number | null = null
  #lastError: string | null = null

  constructor(deps: { clock: Clock }, facts: DeviceFacts, link: Link) {
    this.#clock = deps.clock
    this.#facts = facts
    this.#pace = facts.pace === null ? null : new Pace(facts.pace)
    this.link = link
  }

  get facts(): DeviceFacts {
    return this.#facts
  }

  get open(): number {
    return this.#open
  }

  get lastSentAt(): number | null {
    return this.#lastSentAt
  }

  get lastError(): string | null {
    return this.#lastError
  }

  get health(): Health {
    return this.link.health()
  }

  /** Takes over a changed row. A changed pace begins a new window. */
  update(facts: DeviceFacts): void {
    const before = this.#facts.pace
    const same =
      before?.partsPerWindow === facts.pace?.partsPerWindow &&
      before?.windowSeconds === facts.pace?.windowSeconds
    if (!same) this.#pace = facts.pace === null ? null : new Pace(facts.pace)
    this.#facts = facts
  }

  candidate(): Candidate {
    const { id, accountId, mode, senders } = this.#facts
    const status = this.link.health().status
    return {
      id,
      accountId,
      mode,
      senders,
      health: status === 'online' || status === 'degraded' ? status : 'offline',
      free: this.#free(),
      load: this.link.window === 0 ? 1 : this.#open / this.link.window,
    }
  }

  /** The pace and what is left of it; null when the device goes as fast as it can. */
  throughput(): Throughput | null {
    if (this.#facts.pace === null || this.#pace === null) return null
    const nowMs = this.#clock.monotonicMs()
    const resetsInMs = this.#pace.resetsInMs(nowMs)
    return {
      ...this.#facts.pace,
      remaining: this.#pace.remaining(nowMs),
      resetsInMs,
      resetsAt: resetsInMs === 0 ? null : this.#clock.now() + resetsInMs,
    }
  }

  /** A message of this device was claimed. */
  opened(parts: number): void {
    this.#open += 1
    this.#pace?.spend(parts, this.#clock.monotonicMs())
  }

  /** Its end is being stored: the room is free again. */
  closed(outcome: Outcome): void {
    this.#open -= 1
    const resting = outcome.kind === 'unavailable' || (outcome.kind === 'refused' && outcome.lasts === 'busy')
    if (resting) this.#restsUntilMs = this.#clock.monotonicMs() + restMs
    if (outcome.kind === 'accepted') this.#lastSentAt = this.#clock.now()
    // That a message expired is no fault of the device.
    if (outcome.kind === 'partial' || (outcome.kind === 'refused' && outcome.lasts !== 'expired'))
      this.#lastError = outcome.code
    if (outcome.kind === 'unavailable' || outcome.kind === 'unknown') this.#lastError = outcome.detail
  }

  #free(): number {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs < this.#restsUntilMs) return 0
    const room = Math.max(0, this.link.window - this.#open)
    if (this.#pace === null || room === 0) return room
    const remaining = this.#pace.remaining(nowMs)
    return remaining === 0 ? 0 : Math.min(room, Math.max(1, Math.floor(remaining / mostParts)))
  }
}

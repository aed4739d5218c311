import type { SimChoice } from '../../connectors/sim-choice.ts'
import { Pace, type RateLimit } from './rate-limit.ts'

/** A SIM by its slot, from 1; null: the device chooses. */
export type Sim = number | null

/** What may still be sent over a SIM in its window. */
export interface SimRoom {
  sim: Sim
  parts: number
  resetsInMs: number
}

/**
 * The rate limit of a device, kept for each SIM that it sends over: contract and network count per SIM, not
 * per phone. What a phone sent over a SIM of its own choice may have used any of them, so it counts for each.
 * A device without SIMs has one window.
 */
export class SimPaces {
  readonly #limit: RateLimit | null
  readonly #choice: () => SimChoice | null
  readonly #paces = new Map<Sim, Pace>()
  /** Parts that were sent over each, regardless of windows: the least used is next. */
  readonly #sent = new Map<Sim, number>()

  /** `limit` null: no limit. `choice` null: the device has no SIMs. */
  constructor(limit: RateLimit | null, choice: () => SimChoice | null) {
    this.#limit = limit
    this.#choice = choice
  }

  /**
   * The SIMs that may send for this sender, the least used first; only `chosen` if the sender chose one. Without a rate limit
   * their room is unlimited.
   */
  roomsFor(sender: string | null, nowMs: number, chosen: Sim = null): SimRoom[] {
    const choice = this.#choice()
    const asked = chosen ?? (sender === null ? undefined : choice?.simOf.get(sender))
    const turns = choice?.turns ?? []
    const sims: readonly Sim[] = asked !== undefined ? [asked] : turns.length > 0 ? turns : [null]
    return sims
      .map((sim) => this.#roomOf(sim, nowMs))
      .toSorted((a, b) => (this.#sent.get(a.sim) ?? 0) - (this.#sent.get(b.sim) ?? 0))
  }

  /**
   * Parts that may be sent for this sender now. Called for each phone on each fetch of any phone, so it
   * allocates nothing.
   */
  partsFor(sender: string | null, nowMs: number): number {
    if (this.#limit === null) return Number.MAX_SAFE_INTEGER
    const choice = this.#choice()
    const asked = sender === null ? undefined : choice?.simOf.get(sender)
    if (asked !== undefined) return this.#partsOf(asked, nowMs)
    if (choice === null || choice.turns.length === 0) return this.#partsOf(null, nowMs)
    let parts = 0
    for (const sim of choice.turns) parts += this.#partsOf(sim, nowMs)
    return parts
  }

  /**
   * The SIMs that have a rate limit of their own: those used in turn and those that senders name; one if the
   * phone chooses.
   */
  all(nowMs: number): SimRoom[] {
    const { turns = [], simOf } = this.#choice() ?? {}
    const named = [...(simOf?.values() ?? [])]
    if (turns.length > 0) return [...new Set([...turns, ...named])].map((sim) => this.#roomOf(sim, nowMs))
    const rooms = [null, ...named].map((sim) => this.#roomOf(sim, nowMs))
    return [rooms.reduce((best, room) => (room.parts > best.parts ? room : best))]
  }

  spend(sim: Sim, parts: number, nowMs: number): void {
    this.#sent.set(sim, (this.#sent.get(sim) ?? 0) + parts)
    // A canary spends nothing, and begins no window.
    if (this.#limit === null || parts === 0) return
    const own = this.#paceOf(sim)
    const spent = sim === null ? [...this.#paces.values()] : [own]
    for (const pace of spent) pace.spend(parts, nowMs)
  }

  /**
   * After a start: applies what was sent since, by SIM. What used a SIM without a limit of its own was the
   * phone's choice.
   */
  resume(past: readonly { sim: Sim; used: number; startedMs: number }[]): void {
    if (this.#limit === null) return
    const { turns = [], simOf } = this.#choice() ?? {}
    const own = new Set<Sim>([...turns, ...(simOf?.values() ?? [])])
    const windows = past.map((each) => ({ ...each, sim: own.has(each.sim) ? each.sim : null }))
    for (const sim of [null, ...own]) {
      const counted = windows.filter((each) => each.sim === sim || each.sim === null)
      if (counted.length === 0) continue
      const used = counted.reduce((sum, each) => sum + each.used, 0)
      const startedMs = Math.min(...counted.map((each) => each.startedMs))
      this.#paces.set(sim, new Pace(this.#limit, { used, startedMs }))
    }
  }

  #partsOf(sim: Sim, nowMs: number): number {
    let parts = this.#paceOf(sim).remaining(nowMs)
    // The phone may choose the most used SIM.
    if (sim === null) for (const pace of this.#paces.values()) parts = Math.min(parts, pace.remaining(nowMs))
    return parts
  }

  #roomOf(sim: Sim, nowMs: number): SimRoom {
    if (this.#limit === null)
      return { sim, parts: Number.MAX_SAFE_INTEGER - (this.#sent.get(sim) ?? 0), resetsInMs: 0 }
    const parts = this.#partsOf(sim, nowMs)
    const paces = sim === null ? [...this.#paces.values()] : [this.#paceOf(sim)]
    const fullest = paces.filter((pace) => pace.remaining(nowMs) === parts)
    return { sim, parts, resetsInMs: Math.max(...fullest.map((pace) => pace.resetsInMs(nowMs))) }
  }

  /** A SIM that is new here may be the one that the phone has used until now. */
  #paceOf(sim: Sim): Pace {
    const known = this.#paces.get(sim)
    if (known !== undefined) return known
    const pace = this.#paces.get(null)?.copy() ?? new Pace(this.#limit as RateLimit)
    this.#paces.set(sim, pace)
    return pace
  }
}

import type { Clock } from '../../runtime/clock.ts'
import { readPlans, readUsage } from '../../devices/plans/read-plans.ts'
import {
  leftOf,
  type PlanRoom,
  type PlanUsage,
  planDays,
  roomOf,
  roomOfSims,
  type SimPlan,
} from '../../devices/plans/sim-plan.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { ClaimsMade } from '../../messages/queue/claim-messages.ts'
import type { ClaimPlans } from '../../messages/queue/plan-rooms.ts'

/** How often the use of plans is read: other nodes and outcomes change it as well. */
const refreshMs = 1_000
/** A device at its limit of numbers looks for known ones this often: a look reads up to 3,000 messages of a route. */
const lookMs = 1_000

/** A link names no SIM: all plans of its device count what it sends. */
export const noSim: readonly { sim: null }[] = [{ sim: null }]

export interface PlanStatesDeps {
  read: Db
  clock: Pick<Clock, 'now' | 'monotonicMs'>
  /** See `ClaimPlans`. */
  planKey: string
}

interface KnownPlan {
  plan: SimPlan
  usage: PlanUsage
}

/**
 * What this node knows of SIM plans: enough to leave a device alone that has nothing left. The claim itself decides by the
 * database. Without a plan it costs nothing but a statement when devices change.
 */
export class PlanStates {
  readonly #deps: PlanStatesDeps
  #byDevice: ReadonlyMap<string, readonly KnownPlan[]> = new Map()
  readonly #lookedAtMs = new Map<string, number>()
  #readAtMs = Number.NEGATIVE_INFINITY

  constructor(deps: PlanStatesDeps) {
    this.#deps = deps
  }

  /** Reads all plans and their use. */
  async reload(): Promise<void> {
    await this.#read(await readPlans(this.#deps.read))
  }

  /** Reads the use of the known plans, if it is time to. */
  async refresh(): Promise<void> {
    if (this.#byDevice.size === 0 || this.#deps.clock.monotonicMs() - this.#readAtMs < refreshMs) return
    await this.#read([...this.#byDevice.values()].flat().map(({ plan }) => plan))
  }

  async #read(plans: readonly SimPlan[]): Promise<void> {
    const { read, clock } = this.#deps
    this.#readAtMs = clock.monotonicMs()
    const usage = await readUsage(read, plans, clock.now())
    const known = plans.map((plan, i) => ({ plan, usage: usage[i] as PlanUsage }))
    this.#byDevice = Map.groupBy(known, ({ plan }) => plan.deviceId)
    for (const deviceId of this.#lookedAtMs.keys())
      if (!this.#byDevice.has(deviceId)) this.#lookedAtMs.delete(deviceId)
  }

  /** Applies what a claim has read. */
  claimed({ plans = [], inVain = [] }: Pick<ClaimsMade, 'plans' | 'inVain'>): void {
    for (const usage of plans) {
      const known = this.#byDevice.get(usage.deviceId)?.find(({ plan }) => plan.sim === usage.sim)
      if (known !== undefined) known.usage = usage
    }
    for (const deviceId of inVain) this.rest(deviceId)
  }

  /** A device at its limit of numbers that found nothing to send looks again after a second. */
  rest(deviceId: string): void {
    if (this.#byDevice.has(deviceId)) this.#lookedAtMs.set(deviceId, this.#deps.clock.monotonicMs())
  }

  /** The plans of a device, for its claims; undefined if it has none. */
  forClaim(deviceId: string): ClaimPlans | undefined {
    const known = this.#byDevice.get(deviceId)
    return known && { plans: known.map(({ plan }) => plan), key: this.#deps.planKey }
  }

  /** Returns what the plans of a device include over these SIMs; what is only for known numbers once a second. */
  roomOf(deviceId: string, sims: readonly { sim: number | null }[]): PlanRoom {
    const known = this.#byDevice.get(deviceId)
    if (known === undefined) return { any: Infinity, known: Infinity }
    const nowMs = this.#deps.clock.now()
    const rooms = known.map((each) => ({ sim: each.plan.sim, room: roomNow(each, nowMs) }))
    const slots = sims.map(({ sim }) => sim)
    const room = roomOfSims(rooms, slots, (each) => each.room)
    return room.any < room.known && this.#rests(deviceId) ? { ...room, known: room.any } : room
  }

  /** Reasons of a device whose plans are reached on all of its SIMs that have one. */
  reasonsOf(deviceId: string): string[] {
    const nowMs = this.#deps.clock.now()
    const rooms = (this.#byDevice.get(deviceId) ?? []).map((each) => roomNow(each, nowMs))
    if (rooms.length === 0 || rooms.some(({ any }) => any > 0)) return []
    return [rooms.some((room) => room.known > 0) ? 'plan_numbers_reached' : 'plan_reached']
  }

  /** The largest share that was used of any limit, by device. */
  shares(): [deviceId: string, share: number][] {
    return [...this.#byDevice].map(([id, known]) => [id, Math.max(...known.map(shareOf))])
  }

  #rests(deviceId: string): boolean {
    const lookedAtMs = this.#lookedAtMs.get(deviceId)
    return lookedAtMs !== undefined && this.#deps.clock.monotonicMs() - lookedAtMs < lookMs
  }
}

/** What was read yesterday says nothing about today. */
const roomNow = ({ plan, usage }: KnownPlan, nowMs: number): PlanRoom =>
  planDays(plan, nowMs).day === usage.day ? roomOf(leftOf(plan, usage)) : { any: Infinity, known: Infinity }

const shareOf = ({ plan, usage }: KnownPlan): number =>
  Math.max(
    usage.partsToday / (plan.partsPerDay ?? Infinity),
    usage.partsThisMonth / (plan.partsPerMonth ?? Infinity),
    usage.numbersThisMonth / (plan.numbersPerMonth ?? Infinity),
  )

import {
  countInPlans,
  type CountedNumber,
  type DayUse,
  readMonth,
  readNumbers,
} from '../../devices/plans/count-in-plans.ts'
import { readUsage } from '../../devices/plans/read-plans.ts'
import {
  leftOf,
  planDays,
  type PlanRoom,
  plansOfSim,
  type PlanUsage,
  roomOf,
  roomOfSims,
  type SimPlan,
} from '../../devices/plans/sim-plan.ts'
import { numberInPlan } from '../../numbers/number-hash.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { type PlanCounts, type JsonText, writeJson } from '../../storage/tables/json-columns.ts'

/** The SIM plans of a device, of which a claim must leave nothing over (decision 70). */
export interface ClaimPlans {
  plans: readonly SimPlan[]
  /** Hashes the numbers (`planKey`). */
  key: string
}

interface Planned {
  deviceId: string
  plans?: ClaimPlans
  phone?: { sims: readonly { sim: number | null }[] }
}

interface PlannedRow {
  recipient: string
  parts: number
}

/** A plan while a claim takes of it. */
interface Room {
  plan: SimPlan
  from: number
  usage: PlanUsage
  /** Numbers that were counted before, and those of this claim. */
  numbers: Map<string, CountedNumber>
  /** Those that are in `numbers` from an earlier month. */
  outdated: CountedNumber[]
}

/** Reads what the plans of the devices of a claim still include; null if none of them has one, at no cost. */
export async function readPlanRooms(
  tx: Tx,
  requests: readonly Planned[],
  nowMs: number,
): Promise<PlanRooms | null> {
  const planned = requests.filter(({ plans }) => plans !== undefined)
  if (planned.length === 0) return null
  const byDevice = new Map(planned.map(({ deviceId, plans }) => [deviceId, plans as ClaimPlans]))
  const plans = [...byDevice.values()].flatMap((each) => [...each.plans])
  const usage = await readUsage(tx, plans, nowMs)
  const rooms = plans.map((plan, i): Room => {
    const { from } = planDays(plan, nowMs)
    return { plan, from, usage: usage[i] as PlanUsage, numbers: new Map(), outdated: [] }
  })
  return new PlanRooms(
    Map.groupBy(rooms, ({ plan }) => plan.deviceId),
    byDevice.values().next().value?.key ?? '',
  )
}

/** What the plans of the devices of one claim still include. What is taken counts for the rest of the claim. */
export class PlanRooms {
  readonly #rooms: ReadonlyMap<string, readonly Room[]>
  readonly #key: string
  readonly #keys = new Map<string, string>()
  readonly #uses: DayUse[] = []
  readonly #added: CountedNumber[] = []
  /** Devices that have looked at many messages, of which none is for a number that they know. */
  readonly inVain = new Set<string>()

  constructor(rooms: ReadonlyMap<string, readonly Room[]>, key: string) {
    this.#rooms = rooms
    this.#key = key
  }

  /** Returns whom the device of a request may send the shortest of its messages to, over the best of its SIMs. */
  roomFor({ deviceId, phone, partsOver }: Planned & { partsOver: number }): keyof PlanRoom | 'none' {
    const sims = phone === undefined ? [null] : phone.sims.map(({ sim }) => sim)
    const rooms = (this.#rooms.get(deviceId) ?? []).map((room) => ({ sim: room.plan.sim, room }))
    const { any, known } = roomOfSims(rooms, sims, ({ room }) => roomOf(leftOf(room.plan, room.usage)))
    return any > partsOver ? 'any' : known > partsOver ? 'known' : 'none'
  }

  /** Reads which of these numbers the plans of their devices know. */
  async learn(tx: Tx, rows: readonly (PlannedRow & { deviceId: string })[]): Promise<void> {
    const asked = new Map<string, readonly [string, number, string]>()
    for (const { deviceId, recipient } of rows)
      for (const { plan } of this.#rooms.get(deviceId) ?? []) {
        const key = this.#keyOf(recipient)
        asked.set(`${deviceId}/${plan.sim}/${key}`, [deviceId, plan.sim, key])
      }
    for (const row of await readNumbers(tx, [...asked.values()])) {
      const room = this.#rooms.get(row.device_id)?.find(({ plan }) => plan.sim === row.sim)
      if (room === undefined) continue
      if (row.day >= room.from) room.numbers.set(row.number_key, row)
      else room.outdated.push(row)
    }
  }

  /** Reads all numbers that the plans of a device count this month: as many as their limits, where one is reached. */
  async learnMonth(tx: Tx, deviceId: string): Promise<void> {
    const rooms = this.#rooms.get(deviceId) ?? []
    const rows = await readMonth(
      tx,
      rooms.map(({ plan, from }) => [deviceId, plan.sim, from] as const),
    )
    for (const row of rows) rooms.find(({ plan }) => plan.sim === row.sim)?.numbers.set(row.number_key, row)
  }

  /** Returns whether a message may go over a SIM; `known` if a plan with a limit of numbers counts this one already. */
  allows(deviceId: string, sim: number | null, row: PlannedRow): 'known' | 'other' | null {
    let isKnown = false
    let isNew = false
    for (const room of this.#of(deviceId, sim)) {
      const left = leftOf(room.plan, room.usage)
      if (row.parts > left.parts) return null
      if (room.plan.numbersPerMonth === null) continue
      if (room.numbers.has(this.#keyOf(row.recipient))) isKnown = true
      else if (left.numbers === 0) return null
      else isNew = true
    }
    return isKnown && !isNew ? 'known' : 'other'
  }

  /** Counts a message that is claimed. Returns where, for its attempt; null if the SIM has no plan. */
  take(deviceId: string, sim: number | null, { recipient, parts }: PlannedRow): JsonText<PlanCounts> | null {
    const rooms = this.#of(deviceId, sim)
    if (rooms.length === 0) return null
    const key = this.#keyOf(recipient)
    for (const { plan, usage, numbers } of rooms) {
      const isNew = !numbers.has(key)
      const at = { device_id: deviceId, sim: plan.sim, day: usage.day }
      this.#uses.push({ ...at, parts, messages: 1, numbers: isNew ? 1 : 0 })
      this.#added.push({ ...at, number_key: key, messages: 1 })
      if (isNew) numbers.set(key, { ...at, number_key: key, messages: 1 })
      usage.partsToday += parts
      usage.partsThisMonth += parts
      usage.numbersThisMonth += isNew ? 1 : 0
    }
    return writeJson({ number: key, on: rooms.map(({ plan, usage }) => [plan.sim, usage.day]) })
  }

  /** Writes what was taken. */
  async count(tx: Tx): Promise<void> {
    if (this.#uses.length === 0) return
    const taken = new Set(this.#added.map(nameOf))
    const outdated = [...this.#rooms.values()].flat().flatMap((room) => room.outdated)
    await countInPlans(tx, this.#uses, {
      added: summedNumbers(this.#added),
      outdated: outdated.filter((row) => taken.has(nameOf(row))),
    })
  }

  /** What was used of each plan, with this claim. */
  get usage(): PlanUsage[] {
    return [...this.#rooms.values()].flat().map(({ usage }) => usage)
  }

  #of(deviceId: string, sim: number | null): readonly Room[] {
    const rooms = (this.#rooms.get(deviceId) ?? []).map((room) => ({ sim: room.plan.sim, room }))
    return plansOfSim(rooms, sim).map(({ room }) => room)
  }

  /** One hash for each number of a claim, however many SIMs are asked about it. */
  #keyOf(recipient: string): string {
    const known = this.#keys.get(recipient)
    if (known !== undefined) return known
    const key = numberInPlan(this.#key, recipient)
    this.#keys.set(recipient, key)
    return key
  }
}

const nameOf = ({ device_id, sim, number_key }: CountedNumber): string => `${device_id}/${sim}/${number_key}`

function summedNumbers(added: readonly CountedNumber[]): CountedNumber[] {
  const sums = new Map<string, CountedNumber>()
  for (const each of added) {
    const sum = sums.get(nameOf(each))
    if (sum === undefined) sums.set(nameOf(each), { ...each })
    else sum.messages += each.messages
  }
  return [...sums.values()]
}

import type { PhoneOffering } from '../phones/phone-offers.ts'
import type { PlanRooms } from './plan-rooms.ts'

interface Row {
  request: number
  parts: number
}

/** `sim` is omitted if its device has no SIMs to choose from, `planCounts` if no SIM plan counts it. */
type Given<R> = R & { sim?: number | null; planCounts?: string }

/**
 * Returns the first rows of each request, as far as its parts, its SIMs' rate limits and their plans allow. Its first
 * message uses the SIM with the most room, if any, so that a message longer than the whole limit is sent too. A SIM whose
 * plan counts the number already precedes the others; a message that no plan includes is passed over.
 */
export function withinPaces<R extends Row & { recipient: string }>(
  rows: readonly R[],
  requests: readonly { deviceId: string; maxParts?: number; phone?: PhoneOffering }[],
  plans: PlanRooms | null = null,
): Given<R>[] {
  const taken = requests.map(() => ({ parts: 0, messages: 0 }))
  const rooms = new Map<string, number>()
  const given = (row: R, deviceId: string, sim?: number | null): Given<R> => {
    const planCounts = plans?.take(deviceId, sim ?? null, row) ?? undefined
    return { ...row, ...(sim !== undefined && { sim }), ...(planCounts !== undefined && { planCounts }) }
  }
  return rows.flatMap((row) => {
    const sum = taken[row.request] as (typeof taken)[number]
    const { deviceId, maxParts = Infinity, phone } = requests[row.request] as (typeof requests)[number]
    const costOver = (sim: number | null) => (plans === null ? 'other' : plans.allows(deviceId, sim, row))
    const open = (phone?.sims ?? [{ sim: null, parts: Infinity }]).flatMap(({ sim, parts }) => {
      const name = `${phone?.phoneId}/${sim}`
      const cost = costOver(sim)
      return cost === null ? [] : [{ sim, name, cost, room: rooms.get(name) ?? parts }]
    })
    if (open.length === 0) return []
    sum.parts += row.parts
    sum.messages += 1
    const isFirst = sum.messages === 1
    if (!isFirst && sum.parts > maxParts) return []
    if (phone === undefined) return [given(row, deviceId)]
    const needed = isFirst ? 1 : row.parts
    const known = open.filter(({ cost, room }) => cost === 'known' && room >= needed)
    const sims = known.length > 0 ? known : open
    const best = sims.reduce((most, each) => (each.room > most.room ? each : most))
    if (best.room < needed) {
      sum.parts = Infinity
      return []
    }
    rooms.set(best.name, best.room - row.parts)
    return [given(row, deviceId, best.sim)]
  })
}

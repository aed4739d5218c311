import type { PhoneOffering } from '../phones/phone-offers.ts'

/**
 * Returns the first rows of each request, as far as its parts and its SIMs' rate limits allow. Its first message
 * uses the SIM with the most room, if any, so that a message longer than the whole limit is sent too.
 */
export function withinPaces<Row extends { request: number; parts: number }>(
  rows: readonly Row[],
  requests: readonly { maxParts?: number; phone?: PhoneOffering }[],
): (Row & { sim?: number | null })[] {
  const taken = requests.map(() => ({ parts: 0, messages: 0 }))
  const rooms = new Map<string, number>()
  return rows.flatMap((row) => {
    const sum = taken[row.request] as (typeof taken)[number]
    const { maxParts = Infinity, phone } = requests[row.request] as (typeof requests)[number]
    sum.parts += row.parts
    sum.messages += 1
    const isFirst = sum.messages === 1
    if (!isFirst && sum.parts > maxParts) return []
    if (phone === undefined) return [row]
    const sims = phone.sims.map(({ sim, parts }) => {
      const name = `${phone.phoneId}/${sim}`
      return { sim, name, room: rooms.get(name) ?? parts }
    })
    const best = sims.reduce((most, each) => (each.room > most.room ? each : most))
    if (best.room < (isFirst ? 1 : row.parts)) {
      sum.parts = Infinity
      return []
    }
    rooms.set(best.name, best.room - row.parts)
    return [{ ...row, sim: best.sim }]
  })
}

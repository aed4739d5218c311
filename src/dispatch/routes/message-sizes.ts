import { type Candidate, forParts, mayCarry, type Route } from './candidate.ts'

/** Messages of a route with a range of parts, and the devices that join that many, as they are for these. */
export interface Size {
  partsOver: number
  partsUpTo: number
  devices: readonly Candidate[]
}

/**
 * Splits a route by size. Devices that join fewer parts than others get only what they can join. Longer messages go to the
 * others by the same rules, and do not wait for the short ones. A device whose SIM plans include only short ones has no room
 * for others, and keeps its place: what its account's own devices carry does not go over shared ones. Usually all join the
 * same number, and there is one size.
 */
export function sizesOf(route: Route, devices: readonly Candidate[]): Size[] {
  const able = devices.filter((device) => mayCarry(device, route))
  const ends = new Set<number>()
  for (const { maxParts, planRoom } of able) {
    ends.add(maxParts)
    if (planRoom === undefined) continue
    for (const parts of [planRoom.any, planRoom.known]) if (parts > 0 && parts < maxParts) ends.add(parts)
  }
  const limits = [...ends].toSorted((a, b) => a - b)
  return limits.map((partsUpTo, i) => {
    const joining = able.filter((device) => device.maxParts >= partsUpTo)
    return {
      partsOver: limits[i - 1] ?? 0,
      partsUpTo,
      devices: limits.length === 1 ? joining : joining.map((device) => forParts(device, partsUpTo)),
    }
  })
}

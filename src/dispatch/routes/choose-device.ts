import { canCarry, type Carrying } from '../../devices/core/carrying.ts'
import type { ClaimRequest } from '../../messages/queue/claim-messages.ts'
import type { Mode } from '../../storage/tables/schema.ts'

/**
 * What is queued together: one account's messages of one mode with one sender, and whether their encoding was
 * chosen.
 */
export interface Route {
  accountId: string
  mode: Mode
  routeKey: string
  sender: string | null
  /** Only devices whose encoding can be chosen can carry it. */
  encodingForced: boolean
  /** Only own devices of the account carry it: they cost nothing, and no simulator is one. */
  isOwnOnly?: true
  /** The device that refused these messages last: another device gets them while another one works. */
  avoids: string | null
}

/** A device as `chooseDevice` sees it. */
export interface Candidate extends Carrying {
  id: string
  /** Null: shared by the operator. */
  accountId: string | null
  mode: Mode
  health: 'online' | 'degraded' | 'offline'
  /** Messages that it accepts now: the window minus those in flight, within the rate limit. */
  free: number
  /** The same while another healthy device could carry them, if that is less: few are then lost to a new fault. */
  freeWithOthers?: number
  /** It fails repeatedly (doubt.ts), or reports that it cannot send. */
  isDoubted?: true
  /** Its last message failed. */
  hasFailed?: true
  /** Submissions in flight as a share of its window, 0 to 1. */
  load: number
  /** It fetches its messages: it is woken, and claims when it asks. */
  fetches: boolean
  /** Token of the lease under which this node runs it; omitted without a lease. */
  leaseToken?: number
  /** Its submissions are logged. */
  isLogged?: true
  groupId?: string
  /** See `isOwnCarrier`. */
  isOwnCarrier?: true
  /** It works on another node; its room is not known here. */
  isElsewhere?: true
}

/** Returns whether the device may ever carry this route, regardless of its health. */
const mayCarry = (
  device: Pick<
    Candidate,
    'accountId' | 'mode' | 'senders' | 'alphanumericSender' | 'choosesEncoding' | 'isOwnCarrier'
  >,
  route: Route,
): boolean =>
  device.mode === route.mode &&
  (device.accountId === null || device.accountId === route.accountId) &&
  (route.isOwnOnly !== true || device.isOwnCarrier === true) &&
  canCarry(device, route)

type Facts = Pick<Candidate, 'id' | 'isDoubted' | 'hasFailed'>

/**
 * Healthy devices rank 0. A message that was refused once is for a device whose last one succeeded, so that
 * the next does not refuse it for the same cause.
 */
const rankOf = ({ id, isDoubted, hasFailed }: Facts, { avoids }: Route): number => {
  if (isDoubted) return 3
  if (avoids === null) return 0
  return avoids === id ? 2 : hasFailed ? 1 : 0
}

/** The devices that are considered: an account's own if one of them works, otherwise the shared ones. */
function stageOf(route: Route, devices: readonly Candidate[]): Candidate[] {
  const working = devices.filter((device) => device.health !== 'offline' && mayCarry(device, route))
  const own = working.filter((device) => device.accountId !== null)
  return own.length > 0 ? own : working
}

/**
 * Returns the device for the next messages of a route. An account's own working device always precedes a
 * shared one, even while it is busy: an own phone at its rate limit must not cause messages to be sent from
 * another number. Distrusted devices get nothing while a healthy one works, busy or not, except for a probe
 * now and then. Among equals online ones precede degraded ones, then the least loaded wins. `busy`: a device
 * works but has no room now. `none`: no device that can carry it works, or only another node has one; that
 * node gives it its messages, and here the route holds no turn. The limit is `free` of the result.
 */
export function chooseDevice(route: Route, devices: readonly Candidate[]): Candidate | 'busy' | 'none' {
  const stage = stageOf(route, devices)
  const ranks = stage.map((device) => rankOf(device, route))
  const best = Math.min(...ranks)
  const asked = stage.filter((_, i) => ranks[i] === best)
  const hasOthers = best === 0 && asked.length > 1
  const given = hasOthers ? asked.map(withOthers) : asked
  const probed = best === 0 ? stage.filter((device) => isProbed(device, route)).map(withOthers) : []
  const able = [...probed.filter(({ fetches }) => !fetches), ...given].filter((device) => device.free > 0)
  const [first] = able
  // A device to probe precedes all others; distrusted ones rank the same among each other.
  if (first !== undefined)
    return first.isDoubted
      ? first
      : able.reduce((one, device) => (isBetter(device, one) ? device : one), first)
  return asked.every((device) => device.isElsewhere) ? 'none' : 'busy'
}

const withOthers = (device: Candidate): Candidate =>
  device.freeWithOthers === undefined ? device : { ...device, free: device.freeWithOthers }

/**
 * Returns whether it is time to probe a distrusted device although a healthy one works. A message that was
 * refused once is not used for that.
 */
const isProbed = (device: Candidate, route: Route): boolean =>
  device.isDoubted === true && route.avoids === null && (device.freeWithOthers ?? device.free) > 0

/** Returns whether a message that a device refused can go to another one, which works and is trusted. */
export const isForAnother = (route: Route, devices: readonly Candidate[], parts: number): boolean =>
  stageOf(
    route,
    devices.filter(({ maxParts }) => maxParts >= parts),
  ).some((device) => rankOf(device, route) < 2)

/**
 * The best rank among the other devices of its stage; null for a shared one whose stage is not considered.
 * Stops as early as possible.
 */
function bestRankOfOthers(asking: Candidate, route: Route, devices: Iterable<Candidate>): number | null {
  const isOwn = asking.accountId !== null
  let best = Number.POSITIVE_INFINITY
  for (const device of devices) {
    // An account's own devices come first: the rest does not concern one of them.
    if (isOwn && device.accountId === null) break
    if (device.id === asking.id || device.health === 'offline' || !mayCarry(device, route)) continue
    if (!isOwn && device.accountId !== null) return null
    best = Math.min(best, rankOf(device, route))
    if (best === 0) break
  }
  return best
}

/**
 * Returns whether another healthy device of its stage could carry the route instead. `devices` lists an
 * account's own first.
 */
export const hasHealthyAlternative = (
  asking: Candidate,
  route: Route,
  devices: Iterable<Candidate>,
): boolean => bestRankOfOthers(asking, route, devices) === 0

/**
 * Returns whether a device that asks may take messages of this route now: of its own account, or of accounts
 * without a working device of their own; a distrusted one only if no healthy one exists. `devices` lists an
 * account's own first. They are inspected only for a shared device, or for one that another may precede, and
 * no further than necessary.
 */
export function mayFetch(asking: Candidate, route: Route, devices: Iterable<Candidate>): boolean {
  if (!mayCarry(asking, route)) return false
  const rank = rankOf(asking, route)
  const freeNow = asking.freeWithOthers ?? asking.free
  if (asking.accountId !== null && rank === 0 && freeNow > 0) return true
  const best = bestRankOfOthers(asking, route, devices)
  if (best === null) return false
  if (best === 0) return rank === 0 ? freeNow > 0 : isProbed(asking, route)
  return rank <= best && asking.free > 0
}

const isBetter = (a: Candidate, b: Candidate): boolean =>
  a.health === b.health ? a.load < b.load : a.health === 'online'

/** Messages of a route with a range of parts, and the devices that join that many. */
interface Size {
  partsOver: number
  partsUpTo: number
  devices: readonly Candidate[]
}

/**
 * Splits a route by size. Devices that join fewer parts than others get only what they can join. Longer
 * messages go to the others by the same rules, and do not wait for the short ones. Usually all join the same
 * number, and there is one size.
 */
function sizesOf(route: Route, devices: readonly Candidate[]): Size[] {
  const able = devices.filter((device) => mayCarry(device, route))
  const limits = [...new Set(able.map((device) => device.maxParts))].toSorted((a, b) => a - b)
  return limits.map((partsUpTo, i) => ({
    partsOver: limits[i - 1] ?? 0,
    partsUpTo,
    devices: able.filter((device) => device.maxParts >= partsUpTo),
  }))
}

export interface ClaimPlan {
  requests: ClaimRequest[]
  /** Routes whose messages are fetched: their devices are woken. The next poll returns them again. */
  calls: Route[]
  /** Routes whose device has no room now: they keep their turn. */
  busy: Route[]
}

/**
 * Shares the room of the devices among the routes, round robin: each route that a device serves gets an equal
 * share of its room, at least one message. A route that found no room in this round comes first in the next.
 */
export function planClaims(
  routes: readonly Route[],
  devicesFor: (route: Route) => readonly Candidate[],
): ClaimPlan {
  const served = new Map<string, { device: Candidate; shares: (Size & { route: Route })[] }>()
  const busy = new Set<Route>()
  const calls = new Set<Route>()
  for (const route of routes) {
    for (const size of sizesOf(route, devicesFor(route))) {
      const device = chooseDevice(route, size.devices)
      if (size.devices.some((each) => each.fetches && isProbed(each, route))) calls.add(route)
      if (device === 'none') continue
      if (device === 'busy') busy.add(route)
      else if (device.fetches) calls.add(route)
      else {
        const known = served.get(device.id)
        if (known === undefined) served.set(device.id, { device, shares: [{ ...size, route }] })
        else {
          known.shares.push({ ...size, route })
          if (device.free < known.device.free) known.device = device
        }
      }
    }
  }
  const requests: ClaimRequest[] = []
  for (const { device, shares } of served.values()) {
    let free = device.free
    shares.forEach(({ route, partsOver, partsUpTo }, i) => {
      const quota = Math.ceil(free / (shares.length - i))
      free -= quota
      const { accountId, mode, routeKey } = route
      const request = { accountId, mode, routeKey, deviceId: device.id, quota, partsOver, partsUpTo }
      const { leaseToken, isLogged, groupId, isOwnCarrier } = device
      const extra = {
        ...(leaseToken !== undefined && { leaseToken }),
        ...(isLogged && { isLogged }),
        ...(groupId !== undefined && { groupId }),
        ...(isOwnCarrier && { isOwn: isOwnCarrier }),
      }
      if (quota === 0) busy.add(route)
      else requests.push({ ...request, ...extra })
    })
  }
  return { requests, calls: [...calls], busy: [...busy] }
}

import type { Want } from '../messages/claim-messages.ts'
import type { Mode } from '../storage/schema.ts'

/** What waits together: one account's messages of one mode with one sender, and whether their encoding was chosen. */
export interface Route {
  accountId: string
  mode: Mode
  routeKey: string
  sender: string | null
  /** Only devices can carry it that are told the encoding. */
  encodingForced: boolean
}

/** A device as the choice sees it. */
export interface Candidate {
  id: string
  /** Null: shared by the operator. */
  accountId: string | null
  mode: Mode
  health: 'online' | 'degraded' | 'offline'
  /** Senders it may use; `*` stands for any. */
  senders: ReadonlySet<string>
  /** It is told the sender; else it sends under its own numbers, whatever `senders` says. */
  alphanumericSender: boolean
  /** Messages that it can take now: its window less what is open, within its pace. */
  free: number
  /** Open hand-overs as a share of its window, 0 to 1. */
  load: number
  /** Parts that it joins into one message, at most. */
  maxParts: number
  /** It can be told the encoding; else it chooses by the text. */
  choosesEncoding: boolean
  /** It fetches its messages: it is woken, and claims when it asks. */
  fetches: boolean
  /** Of the lease under which this node runs it; left out where there is none. */
  leaseToken?: number
  /** What leaves for it is written down. */
  isLogged?: true
  /** It works on another node: it has no room here, and this node hears of none. */
  isElsewhere?: true
}

export const canUseSender = (
  { senders, alphanumericSender }: Pick<Candidate, 'senders' | 'alphanumericSender'>,
  sender: string | null,
): boolean =>
  sender === null ||
  (alphanumericSender
    ? senders.has(sender) || senders.has('*')
    : sender.startsWith('+') && senders.has(sender))

/** Whether the device may ever carry this route, whatever its health. */
const canCarry = (
  device: Pick<Candidate, 'accountId' | 'mode' | 'senders' | 'alphanumericSender' | 'choosesEncoding'>,
  route: Route,
): boolean =>
  device.mode === route.mode &&
  (device.accountId === null || device.accountId === route.accountId) &&
  canUseSender(device, route.sender) &&
  (device.choosesEncoding || !route.encodingForced)

/**
 * The device for the next messages of a route. An account's own working device always comes before a shared one, even while it is
 * busy: an own phone that is at its pace must not push its messages out under another number. Among equals the healthy come before
 * the degraded, then the least loaded. `busy`: a device works and has no room now; `none`: no device that can carry it works, or only another
 * node has one: that node gives it its messages, and here the route holds no turn.
 */
export function chooseDevice(route: Route, devices: readonly Candidate[]): Candidate | 'busy' | 'none' {
  const working = devices.filter((device) => device.health !== 'offline' && canCarry(device, route))
  const own = working.filter((device) => device.accountId !== null)
  const asked = own.length > 0 ? own : working
  const able = asked.filter((device) => device.free > 0)
  if (able.length > 0) return able.reduce((best, device) => (isBetter(device, best) ? device : best))
  return asked.every((device) => device.isElsewhere) ? 'none' : 'busy'
}

/**
 * Whether a device that asks may take of this route now: its own account's, or of accounts that no working device of their own serves.
 * `devices` are looked through only for a shared one, and no further than need be.
 */
export function mayFetch(asking: Candidate, route: Route, devices: Iterable<Candidate>): boolean {
  if (!canCarry(asking, route)) return false
  if (asking.accountId !== null) return true
  for (const device of devices)
    if (device.accountId !== null && device.health !== 'offline' && canCarry(device, route)) return false
  return true
}

const isBetter = (a: Candidate, b: Candidate): boolean =>
  a.health === b.health ? a.load < b.load : a.health === 'online'

/** Messages of a route of some numbers of parts, and those devices that join as many. */
interface Size {
  partsOver: number
  partsUpTo: number
  devices: readonly Candidate[]
}

/**
 * Devices that join fewer parts than others get only what they join; what is longer goes to the others, by the same rules and without a wait
 * behind the short ones. Mostly all join alike, and there is one size.
 */
function sizesOf(route: Route, devices: readonly Candidate[]): Size[] {
  const able = devices.filter((device) => canCarry(device, route))
  const mosts = [...new Set(able.map((device) => device.maxParts))].toSorted((a, b) => a - b)
  return mosts.map((partsUpTo, i) => ({
    partsOver: mosts[i - 1] ?? 0,
    partsUpTo,
    devices: able.filter((device) => device.maxParts >= partsUpTo),
  }))
}

export interface ClaimPlan {
  wants: Want[]
  /** Routes whose messages are fetched: their devices are to be called. They stand again with the next poll. */
  calls: Route[]
  /** Routes whose device has no room now: they keep their turn. */
  busy: Route[]
}

/**
 * Shares what the devices can take among the routes, round-robin: every route that a device serves gets an equal part of its room, at
 * least one message. Whoever comes too late for the room of this round stands in front in the next.
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
      if (device === 'none') continue
      if (device === 'busy') busy.add(route)
      else if (device.fetches) calls.add(route)
      else if (served.has(device.id)) served.get(device.id)?.shares.push({ ...size, route })
      else served.set(device.id, { device, shares: [{ ...size, route }] })
    }
  }
  const wants: Want[] = []
  for (const { device, shares } of served.values()) {
    let free = device.free
    shares.forEach(({ route, partsOver, partsUpTo }, i) => {
      const quota = Math.ceil(free / (shares.length - i))
      free -= quota
      const { accountId, mode, routeKey } = route
      const want = { accountId, mode, routeKey, deviceId: device.id, quota, partsOver, partsUpTo }
      const { leaseToken, isLogged } = device
      const extra = { ...(leaseToken !== undefined && { leaseToken }), ...(isLogged && { isLogged }) }
      if (quota === 0) busy.add(route)
      else wants.push({ ...want, ...extra })
    })
  }
  return { wants, calls: [...calls], busy: [...busy] }
}

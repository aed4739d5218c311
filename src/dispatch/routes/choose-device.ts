import type { Want } from '../../messages/queue/claim-messages.ts'
import type { Mode } from '../../storage/tables/schema.ts'

/** What waits together: one account's messages of one mode with one sender, and whether their encoding was chosen. */
export interface Route {
  accountId: string
  mode: Mode
  routeKey: string
  sender: string | null
  /** Only devices can carry it that are told the encoding. */
  encodingForced: boolean
  /** The device that refused what waits here last: another one is to have it, as long as another one works. */
  avoids: string | null
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
  /** The same while a sound device could carry them in its place, where that is less: so few are lost to a fault that is new. */
  freeBeside?: number
  /** It fails again and again (doubt.ts), or says that it cannot send. */
  isDoubted?: true
  /** The last that it was given failed. */
  hasFailed?: true
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
  groupId?: string
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

type Facts = Pick<Candidate, 'id' | 'isDoubted' | 'hasFailed'>

/** Sound ones are 0. What was refused once is for a device whose last word was good, so that it is not refused by the next one for the same cause. */
const rankOf = ({ id, isDoubted, hasFailed }: Facts, { avoids }: Route): number => {
  if (isDoubted) return 3
  if (avoids === null) return 0
  return avoids === id ? 2 : hasFailed ? 1 : 0
}

/** The devices that are asked: an account's own where one of them works, else those that all share. */
function stageOf(route: Route, devices: readonly Candidate[]): Candidate[] {
  const working = devices.filter((device) => device.health !== 'offline' && canCarry(device, route))
  const own = working.filter((device) => device.accountId !== null)
  return own.length > 0 ? own : working
}

/**
 * The device for the next messages of a route. An account's own working device always comes before a shared one, even while it is
 * busy: an own phone that is at its pace must not push its messages out under another number. Doubted ones get nothing while a sound one
 * works, busy or not, but for one message now and then by which they are tried. Among equals the healthy come before
 * the degraded, then the least loaded. `busy`: a device works and has no room now; `none`: no device that can carry it works, or only another
 * node has one: that node gives it its messages, and here the route holds no turn. What the device may be given is the `free` of the answer.
 */
export function chooseDevice(route: Route, devices: readonly Candidate[]): Candidate | 'busy' | 'none' {
  const stage = stageOf(route, devices)
  const ranks = stage.map((device) => rankOf(device, route))
  const best = Math.min(...ranks)
  const asked = stage.filter((_, i) => ranks[i] === best)
  const isBeside = best === 0 && asked.length > 1
  const given = isBeside ? asked.map(asBeside) : asked
  const tried = best === 0 ? stage.filter((device) => isTried(device, route)).map(asBeside) : []
  const able = [...tried.filter(({ fetches }) => !fetches), ...given].filter((device) => device.free > 0)
  const [first] = able
  // One that is to be tried comes before all others; those that are in doubt together are one like another.
  if (first !== undefined)
    return first.isDoubted
      ? first
      : able.reduce((one, device) => (isBetter(device, one) ? device : one), first)
  return asked.every((device) => device.isElsewhere) ? 'none' : 'busy'
}

const asBeside = (device: Candidate): Candidate =>
  device.freeBeside === undefined ? device : { ...device, free: device.freeBeside }

/** Whether it is time to try a doubted device, though a sound one works. What was refused once is not for that. */
const isTried = (device: Candidate, route: Route): boolean =>
  device.isDoubted === true && route.avoids === null && (device.freeBeside ?? device.free) > 0

/** Whether what a device has refused is for another one: one that works and is not in doubt. */
export const isForAnother = (route: Route, devices: readonly Candidate[], parts: number): boolean =>
  stageOf(
    route,
    devices.filter(({ maxParts }) => maxParts >= parts),
  ).some((device) => rankOf(device, route) < 2)

/** The best rank among the others of its stage; null for a shared one whose stage is not asked. Looks no further than need be. */
function bestBeside(asking: Candidate, route: Route, devices: Iterable<Candidate>): number | null {
  const isOwn = asking.accountId !== null
  let best = Number.POSITIVE_INFINITY
  for (const device of devices) {
    // Own ones come first: behind them there is nothing for one of them to see.
    if (isOwn && device.accountId === null) break
    if (device.id === asking.id || device.health === 'offline' || !canCarry(device, route)) continue
    if (!isOwn && device.accountId !== null) return null
    best = Math.min(best, rankOf(device, route))
    if (best === 0) break
  }
  return best
}

/** Whether another sound device of its stage could carry the route in the place of this one. `devices` has an account's own first. */
export const isBesideSound = (asking: Candidate, route: Route, devices: Iterable<Candidate>): boolean =>
  bestBeside(asking, route, devices) === 0

/**
 * Whether a device that asks may take of this route now: its own account's, or of accounts that no working device of their own serves, and
 * while it is in doubt only what no sound one is there for. `devices` has an account's own first; they are looked through only for a shared
 * one, or one that another may come before, and no further than need be.
 */
export function mayFetch(asking: Candidate, route: Route, devices: Iterable<Candidate>): boolean {
  if (!canCarry(asking, route)) return false
  const rank = rankOf(asking, route)
  const beside = asking.freeBeside ?? asking.free
  if (asking.accountId !== null && rank === 0 && beside > 0) return true
  const best = bestBeside(asking, route, devices)
  if (best === null) return false
  if (best === 0) return rank === 0 ? beside > 0 : isTried(asking, route)
  return rank <= best && asking.free > 0
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
      if (size.devices.some((each) => each.fetches && isTried(each, route))) calls.add(route)
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
  const wants: Want[] = []
  for (const { device, shares } of served.values()) {
    let free = device.free
    shares.forEach(({ route, partsOver, partsUpTo }, i) => {
      const quota = Math.ceil(free / (shares.length - i))
      free -= quota
      const { accountId, mode, routeKey } = route
      const want = { accountId, mode, routeKey, deviceId: device.id, quota, partsOver, partsUpTo }
      const { leaseToken, isLogged, groupId } = device
      const extra = {
        ...(leaseToken !== undefined && { leaseToken }),
        ...(isLogged && { isLogged }),
        ...(groupId !== undefined && { groupId }),
      }
      if (quota === 0) busy.add(route)
      else wants.push({ ...want, ...extra })
    })
  }
  return { wants, calls: [...calls], busy: [...busy] }
}

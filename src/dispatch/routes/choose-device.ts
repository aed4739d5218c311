import { usualWay } from '../../devices/routes/way.ts'
import { type Candidate, mayCarry, rankOf, roomForAny, type Route } from './candidate.ts'
import { sizesOf } from './message-sizes.ts'
import { agesOf, bestOf, type Member, openMembers, type StageNow, usualNow, walkWay, type WayNow, type Why } from './walk-way.ts' // prettier-ignore

/** A device for the next messages of a route. The limit is its `free`. */
export interface Choice {
  device: Candidate
  why: Why
  /** Only for messages that have been due for so long. Omitted: for all. */
  waitedMs?: number
}

/**
 * What the devices of a route can do for it now. `busy`: one works but has no room now. `none`: none that can carry it
 * works, or only another node has one; that node gives it its messages, and here the route holds no turn.
 */
interface Choices {
  now: Choice | 'busy' | 'none'
  /** A device of a later stage, for messages that have waited for it; only while `now` is no link with room. */
  waited: Choice | null
  /** Links at their limits of numbers: they look for messages to numbers that they have sent to, before others take these. */
  looks: Choice[]
  /** Devices that fetch may have something: they are to be woken. */
  isFetched: boolean
}

/** Returns the devices for the next messages of a route. */
export function chooseDevices(route: Route, devices: readonly Candidate[], now: WayNow = usualNow): Choices {
  const stages = walkWay(route, now, devices)
  const members = openMembers(stages, route)
  const first = chooseAmong(members, members, route)
  const [looks, isLookedFor] = looksOf(members, members)
  let isFetched = members.some(({ device }) => device.fetches && isProbed(device, route))
  if (typeof first !== 'string' && !first.device.fetches)
    return { now: first, waited: null, looks, isFetched }
  isFetched ||= typeof first !== 'string' || isLookedFor
  let reached = members
  for (const waitedMs of agesOf(stages)) {
    const open = openMembers(stages, route, waitedMs)
    const fresh = open.filter(
      ({ device, order }) => !reached.some((one) => one.device === device && one.order === order),
    )
    const chosen = chooseAmong(open, fresh, route)
    const [later, isLaterLookedFor] = looksOf(open, fresh)
    looks.push(...later.map((look) => ({ ...look, waitedMs })))
    isFetched ||= isLaterLookedFor
    if (typeof chosen !== 'string') {
      if (!chosen.device.fetches) return { now: first, waited: { ...chosen, waitedMs }, looks, isFetched }
      isFetched = true
    }
    reached = open
  }
  return { now: first, waited: null, looks, isFetched }
}

/**
 * Returns those of `from` that carry only to numbers that they have sent to, and come first among `open`: links that look for
 * these, and whether a device that fetches may find some when it asks.
 */
function looksOf(open: readonly Member[], from: readonly Member[]): [looks: Choice[], isLookedFor: boolean] {
  const able = from.filter(({ device }) => device.isForKnown === true && device.free > 0)
  if (able.length === 0) return [[], false]
  const { best } = bestOf(open)
  const asked = able.filter((member) => best.includes(member))
  const looks = asked.filter(({ device }) => !device.fetches).map(({ device, why }) => ({ device, why }))
  return [looks, looks.length < asked.length]
}

/** The choice for messages of any age. */
export const chooseDevice = (
  route: Route,
  devices: readonly Candidate[],
  now: WayNow = usualNow,
): Candidate | 'busy' | 'none' => {
  const choice = chooseDevices(route, devices, now).now
  return typeof choice === 'string' ? choice : choice.device
}

/**
 * Chooses one of `from` for a route, among `open`. Distrusted devices get nothing while a healthy one works, busy or not,
 * except for a probe now and then. The first stage with room decides; in it the first listed one with room, or where none
 * is listed before others, online ones before degraded ones, then the least loaded.
 */
function chooseAmong(
  open: readonly Member[],
  from: readonly Member[],
  route: Route,
): { device: Candidate; why: Why } | 'busy' | 'none' {
  const { best, sound } = bestOf(open)
  const asked = best.filter((member) => from.includes(member))
  const isHealthy = best[0]?.rank === 0
  const given = isHealthy && sound > 1 ? asked.map(withOthers) : asked
  const probed = isHealthy
    ? from.filter(({ device }) => !device.fetches && isProbed(device, route)).map(withOthers)
    : []
  // A device to probe precedes all others; distrusted ones rank the same among each other.
  const probe = probed.find(({ device }) => roomForAny(device) > 0)
  if (probe !== undefined) return { device: probe.device, why: 'trial' }
  const able = given.filter(({ device }) => roomForAny(device) > 0)
  const [first] = able
  if (first !== undefined) {
    const { device, why } = able.reduce((one, other) => (precedes(other, one) ? other : one), first)
    return { device, why: device.isDoubted ? 'trial' : why }
  }
  return asked.every(({ device }) => device.isElsewhere) ? 'none' : 'busy'
}

const withOthers = (member: Member): Member => {
  const { freeWithOthers } = member.device
  return freeWithOthers === undefined
    ? member
    : { ...member, device: { ...member.device, free: freeWithOthers } }
}

function precedes(a: Member, b: Member): boolean {
  if (a.order !== b.order) return a.order < b.order
  if (a.stage.stage.by !== undefined && a.place !== b.place) return a.place < b.place
  return a.device.isDoubted !== true && isBetter(a.device, b.device)
}

const isBetter = (a: Candidate, b: Candidate): boolean =>
  a.health === b.health ? a.load < b.load : a.health === 'online'

/**
 * Returns whether it is time to probe a distrusted device although a healthy one works. A message that was
 * refused once is not used for that.
 */
const isProbed = (device: Candidate, route: Route): boolean =>
  device.isDoubted === true && route.avoids === null && (device.freeWithOthers ?? device.free) > 0

/** Returns whether a message that a device refused can go to another one, which works and is trusted. */
export const isForAnother = (
  route: Route,
  devices: readonly Candidate[],
  parts: number,
  now: WayNow = usualNow,
): boolean =>
  openMembers(
    walkWay(
      route,
      now,
      devices.filter(({ maxParts }) => maxParts >= parts),
    ),
    route,
  ).some(({ rank }) => rank < 2)

/**
 * Returns the devices that decide whether `asking` may fetch. On the usual way those after the first healthy one cannot
 * change the answer, so that a thousand phones that ask do not look at each other. `devices` lists an account's own first.
 */
function decidingFor(
  asking: Candidate,
  route: Route,
  devices: Iterable<Candidate>,
  { way }: WayNow,
): Candidate[] {
  // It works: it asks.
  const self = asking.health === 'offline' ? { ...asking, health: 'online' as const } : asking
  const others: Candidate[] = []
  const isOwn = asking.accountId !== null
  const hasRoom = rankOf(asking, route) === 0 && (asking.freeWithOthers ?? asking.free) > 0
  if (way !== usualWay) others.push(...[...devices].filter(({ id }) => id !== asking.id))
  else if (!isOwn || !hasRoom)
    for (const device of devices) {
      if (device.accountId === null && (isOwn || hasRoom)) break
      if (device.id === asking.id || device.health === 'offline' || !mayCarry(device, route)) continue
      others.push(device)
      if (rankOf(device, route) === 0 || (!isOwn && device.accountId !== null)) break
    }
  return [...others, self]
}

/**
 * Returns whether another healthy device of its stages could carry the route instead. `devices` lists an
 * account's own first.
 */
export const hasHealthyAlternative = (
  asking: Candidate,
  route: Route,
  devices: Iterable<Candidate>,
  now: WayNow = usualNow,
): boolean => {
  const full = { ...asking, free: 0, freeWithOthers: 0 }
  const stages = walkWay(route, now, decidingFor(full, route, devices, now))
  const open = [0, ...agesOf(stages)]
    .map((waitedMs) => openMembers(stages, route, waitedMs))
    .find((members) => members.some(({ device }) => device.id === asking.id))
  return open?.some(({ device, rank }) => device.id !== asking.id && rank === 0) === true
}

/** What a device that asks may have of a route. */
export interface Fetch {
  why: Why
  /** Only messages that have been due for so long; 0: all. */
  waitedMs: number
  /** Only messages of more parts than this, */
  partsOver: number
  /** and of at most this many. */
  partsUpTo: number
}

/**
 * Returns what a device that asks may have of this route now: its stage is open, and it comes first there, or others do not
 * come before it; a distrusted one only if no healthy one exists. `devices` lists an account's own first.
 */
export function fetchesOf(
  asking: Candidate,
  route: Route,
  devices: Iterable<Candidate>,
  now: WayNow = usualNow,
): Fetch[] {
  if (!mayCarry(asking, route)) return []
  const deciding = decidingFor(asking, route, devices, now)
  // On the usual way the room of others decides nothing, and not all of them are known here.
  const [others, sized] = now.way === usualWay ? [deciding.slice(0, -1), deciding.slice(-1)] : [[], deciding]
  return sizesOf(route, sized).flatMap(({ devices: able, partsOver, partsUpTo }) => {
    const self = able.find(({ id }) => id === asking.id)
    const fetch = self && fetchOf(self, route, walkWay(route, now, [...others, ...able]))
    return fetch ? [{ ...fetch, partsOver, partsUpTo }] : []
  })
}

function fetchOf(
  asking: Candidate,
  route: Route,
  stages: readonly StageNow[],
): Pick<Fetch, 'why' | 'waitedMs'> | null {
  for (const waitedMs of [0, ...agesOf(stages)]) {
    const why = fetchAt(asking, route, stages, waitedMs)
    if (why !== null) return { why, waitedMs }
  }
  return null
}

function fetchAt(asking: Candidate, route: Route, stages: readonly StageNow[], waitedMs: number): Why | null {
  const open = openMembers(stages, route, waitedMs)
  const self = open.find(({ device }) => device.id === asking.id)
  if (self === undefined) return null
  const { best, sound } = bestOf(open)
  const isHealthy = best[0]?.rank === 0
  if (!best.includes(self)) return isHealthy && self.rank > 0 && isProbed(asking, route) ? 'trial' : null
  const freeOf = ({ free, freeWithOthers = free }: Candidate): number =>
    isHealthy && sound > 1 ? freeWithOthers : free
  const isPreceded =
    self.stage.stage.by === 'listed' &&
    best.some(
      ({ device, stage, place }) =>
        stage === self.stage && place < self.place && Math.min(freeOf(device), roomForAny(device)) > 0,
    )
  if (freeOf(asking) <= 0 || isPreceded) return null
  return asking.isDoubted ? 'trial' : self.why
}

/** Returns whether a device that asks may have messages of this route now. */
export const mayFetch = (
  asking: Candidate,
  route: Route,
  devices: Iterable<Candidate>,
  now: WayNow = usualNow,
): boolean => fetchesOf(asking, route, devices, now).length > 0

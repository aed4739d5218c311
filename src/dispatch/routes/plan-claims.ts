import type { ClaimRequest } from '../../messages/queue/claim-messages.ts'
import type { Candidate, Route } from './candidate.ts'
import { type Choice, chooseDevices, type Fetch } from './choose-device.ts'
import { type Size, sizesOf } from './message-sizes.ts'
import { usualNow, type WayNow } from './walk-way.ts'

export interface ClaimPlan {
  requests: ClaimRequest[]
  /** Routes whose messages are fetched: their devices are woken. The next poll returns them again. */
  calls: Route[]
  /** Routes whose device has no room now: they keep their turn. */
  busy: Route[]
}

type Share = Omit<Size, 'devices'> & Choice & { route: Route }

/**
 * Shares the room of the devices among the accounts, round robin: each account that a device serves gets an equal
 * share of its room for its routes, each of them at least one message. A route that found no room in this round comes first
 * in the next. `wayFor` gives null for a way that this node does not know yet.
 */
export function planClaims(
  routes: readonly Route[],
  devicesFor: (route: Route) => readonly Candidate[],
  wayFor: (route: Route) => WayNow | null = () => usualNow,
): ClaimPlan {
  const served = new Map<string, Share[]>()
  const busy = new Set<Route>()
  const calls = new Set<Route>()
  for (const route of routes) {
    const way = wayFor(route)
    if (way === null) continue
    for (const { partsOver, partsUpTo, devices } of sizesOf(route, devicesFor(route))) {
      const { now, waited, looks, isFetched } = chooseDevices(route, devices, way)
      if (isFetched) calls.add(route)
      if (now === 'busy') busy.add(route)
      for (const choice of [...looks, now, waited]) {
        if (choice === null || typeof choice === 'string' || choice.device.fetches) continue
        const shares = served.get(choice.device.id)
        const share = { ...choice, route, partsOver, partsUpTo }
        if (shares === undefined) served.set(choice.device.id, [share])
        else shares.push(share)
      }
    }
  }
  // What is for numbers that a SIM knows goes over this one, before others count the same numbers as new.
  const looksFirst = [...served.values()].flatMap(quotasOf).toSorted((a, b) => isLook(b) - isLook(a))
  const requests = looksFirst.flatMap((planned) => {
    if (planned.quota > 0) return [requestOf(planned)]
    busy.add(planned.share.route)
    return []
  })
  return { requests, calls: [...calls], busy: [...busy] }
}

interface Planned {
  share: Share
  quota: number
  /** Of several sizes of a route, which get the quota together. */
  isShared: boolean
}

const isLook = ({ share }: Planned): number => Number(share.device.isForKnown === true)

/** Shares the room of a device that asks among the routes that it may have (`fetchOf`). */
export const planFetch = (routes: readonly (Route & Fetch)[], self: Candidate): ClaimRequest[] => {
  const shares = routes.map((route) => ({ route, ...fetchedOf(route), device: self }))
  return quotasOf(shares).flatMap((planned) => (planned.quota > 0 ? [requestOf(planned)] : []))
}

const fetchedOf = ({ why, waitedMs, partsOver, partsUpTo }: Fetch): Omit<Share, 'device' | 'route'> => ({
  why,
  partsOver,
  partsUpTo,
  ...(waitedMs > 0 && { waitedMs }),
})

/** Splits the room of a device among accounts, then among the routes of each. All sizes of a route get its share together. */
function quotasOf(shares: readonly Share[]): Planned[] {
  let free = shares.length === 0 ? 0 : Math.min(...shares.map(({ device }) => device.free))
  const accounts = [...Map.groupBy(shares, ({ route }) => route.accountId).values()]
  return accounts.flatMap((ofAccount, i) => {
    let room = Math.ceil(free / (accounts.length - i))
    free -= room
    const routes = [...Map.groupBy(ofAccount, ({ route }) => `${route.mode}/${route.routeKey}`).values()]
    return routes.flatMap((sizes, j) => {
      const quota = Math.ceil(room / (routes.length - j))
      room -= quota
      return sizes.map((share) => ({ share, quota, isShared: sizes.length > 1 }))
    })
  })
}

/** Returns how many messages requests for one device may get together. */
export function quotasTogether(requests: readonly ClaimRequest[]): number {
  const ofRoutes = new Map(
    requests.map(({ accountId, mode, routeKey, quota }) => [`${accountId}/${mode}/${routeKey}`, quota]),
  )
  return [...ofRoutes.values()].reduce((sum, quota) => sum + quota, 0)
}

function requestOf({ share, quota, isShared }: Planned): ClaimRequest {
  const { device, route, partsOver, partsUpTo, why, waitedMs } = share
  const { accountId, mode, routeKey } = route
  const { leaseToken, isLogged, groupId, isOwnCarrier, plans } = device
  return {
    accountId,
    mode,
    routeKey,
    deviceId: device.id,
    quota,
    partsOver,
    partsUpTo,
    ...(isShared && { sharesQuota: true }),
    ...(leaseToken !== undefined && { leaseToken }),
    ...(isLogged && { isLogged }),
    ...(groupId !== undefined && { groupId }),
    ...(isOwnCarrier && { isOwn: isOwnCarrier }),
    ...(plans !== undefined && { plans }),
    ...(why !== 'first' && { why }),
    ...(waitedMs !== undefined && { waitedMs }),
  }
}

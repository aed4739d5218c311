import { canCarry, type Carrying } from '../../devices/core/carrying.ts'
import type { PlanRoom } from '../../devices/plans/sim-plan.ts'
import type { ClaimPlans } from '../../messages/queue/plan-rooms.ts'
import type { Mode } from '../../storage/tables/schema.ts'

/**
 * What is queued together: one account's messages of one mode with one sender, on one way, and whether their encoding was
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
  /** Devices that never carry it: the message that these follow was not delivered over them. */
  excludes?: readonly string[]
  /** ID of the way that a rule gave them, or the device that their sender chose. Omitted: the usual way. */
  way?: string
}

/** A device as the walk of a way sees it. */
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
  /** The plans of its SIMs, of which each claim takes. */
  plans?: ClaimPlans
  /** What these still include. */
  planRoom?: PlanRoom
  /** Its SIM plans include no further number this month: it carries only messages to those that it has sent to. */
  isForKnown?: true
  /** It works on another node; its room is not known here. */
  isElsewhere?: true
}

/** Returns whether the device may ever carry this route, regardless of its health and of the way. */
export const mayCarry = (
  device: Pick<
    Candidate,
    'id' | 'accountId' | 'mode' | 'senders' | 'alphanumericSender' | 'choosesEncoding' | 'isOwnCarrier'
  >,
  route: Route,
): boolean =>
  device.mode === route.mode &&
  route.excludes?.includes(device.id) !== true &&
  (device.accountId === null || device.accountId === route.accountId) &&
  (route.isOwnOnly !== true || device.isOwnCarrier === true) &&
  canCarry(device, route)

/** Returns for how many messages to any number a device has room. One that only carries to some looks for these on its own. */
export const roomForAny = ({ free, isForKnown }: Candidate): number => (isForKnown === true ? 0 : free)

/** Returns the device as it is for messages of this many parts: its SIM plans may include only shorter ones. */
export function forParts(device: Candidate, parts: number): Candidate {
  const { planRoom } = device
  if (planRoom === undefined || parts <= planRoom.any) return device
  return parts <= planRoom.known ? { ...device, isForKnown: true } : { ...device, free: 0, freeWithOthers: 0 }
}

type Facts = Pick<Candidate, 'id' | 'isDoubted' | 'hasFailed'>

/**
 * Healthy devices rank 0. A message that was refused once is for a device whose last one succeeded, so that
 * the next does not refuse it for the same cause.
 */
export const rankOf = ({ id, isDoubted, hasFailed }: Facts, { avoids }: Route): number => {
  if (isDoubted) return 3
  if (avoids === null) return 0
  return avoids === id ? 2 : hasFailed ? 1 : 0
}

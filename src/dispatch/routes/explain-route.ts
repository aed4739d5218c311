import { canCarry } from '../../devices/core/carrying.ts'
import { placeIn, type Stage } from '../../devices/routes/way.ts'
import { writeHours } from '../../devices/routes/way-words.ts'
import { type Candidate, forParts, roomForAny, type Route } from './candidate.ts'
import { chooseDevices } from './choose-device.ts'
import { openMembers, type StageNow, walkWay, type WayNow } from './walk-way.ts'

/** What a device of a way is for a message now. */
type Verdict =
  | 'next' | 'equal' | 'later_stage' | 'outside_hours' | 'not_in_way' | 'sender_not_allowed' | 'encoding_not_available' | 'too_long'
  | 'destination_excluded' | 'offline' | 'drains' | 'no_room' | 'at_pace' | 'plan_reached' | 'doubted' | 'refused_this_message'
  | 'undelivered_before' // prettier-ignore

export const verdicts = [
  'next', 'equal', 'later_stage', 'outside_hours', 'not_in_way', 'sender_not_allowed', 'encoding_not_available', 'too_long',
  'destination_excluded', 'offline', 'drains', 'no_room', 'at_pace', 'plan_reached', 'doubted', 'refused_this_message', 'undelivered_before',
] as const satisfies readonly Verdict[] // prettier-ignore

export interface ExplainedStage {
  /** What opens it; null for the first stage. */
  opens: string | null
  isOpen: boolean
  devices: { id: string; isShared: boolean; verdict: Verdict; says: string }[]
}

/** What is asked about: a message on a route, and the devices that its account may use. */
interface Explained {
  route: Route
  parts: number
  now: WayNow
  devices: readonly Candidate[]
  more?: (deviceId: string) => MoreOfDevice
}

/** What a candidate does not say: it stops sending, and what leaves it no room: a rate limit, or its SIM plans. */
export interface MoreOfDevice {
  drains?: boolean
  isPaced?: boolean
  isPlanned?: boolean
}

/** Explains over which devices a message goes now, and why not over others: the same walk by which it is claimed. */
export function explainRoute(asked: Explained): ExplainedStage[] {
  const { route, now, parts } = asked
  const devices = asked.devices.map((device) => forParts(device, parts))
  const able = devices.filter(({ maxParts }) => maxParts >= parts)
  const stages = walkWay(route, now, able)
  const choice = chooseDevices(route, able, now).now
  const chosen = typeof choice === 'string' ? null : choice.device.id
  const open = new Map(openMembers(stages, route).map((member) => [member.device.id, member]))
  const known = { asked, chosen, open }
  return stages.map((stage, order) => {
    const named = devices.filter(
      (device) => device.mode === route.mode && isOf(device, route) && placeIn(stage.stage, device) >= 0,
    )
    return {
      opens: order === 0 ? null : opensOf(stage.stage),
      isOpen: stage.opens !== null,
      devices: named.map((device) => {
        const verdict = verdictOf(device, { stage, order }, known)
        return { id: device.id, isShared: device.accountId === null, verdict, says: sayings[verdict] }
      }),
    }
  })
}

const isOf = ({ accountId }: Candidate, route: Route): boolean =>
  accountId === null || accountId === route.accountId

function verdictOf(
  device: Candidate,
  { stage, order }: { stage: StageNow; order: number },
  {
    asked: { route, parts, now, more },
    chosen,
    open,
  }: { asked: Explained; chosen: string | null; open: ReadonlyMap<string, { order: number; rank: number }> },
): Verdict {
  const never = whyNever(device, route, parts, now)
  if (never !== null) return never
  const { drains = false, isPaced = false, isPlanned = false } = more?.(device.id) ?? {}
  if (drains) return 'drains'
  if (device.health === 'offline') return 'offline'
  if (stage.isOutsideHours) return 'outside_hours'
  if (stage.opens === null) return 'later_stage'
  if (device.id === chosen) return 'next'
  if (device.isDoubted) return 'doubted'
  if (device.id === route.avoids) return 'refused_this_message'
  if (roomForAny(device) <= 0 && device.isElsewhere !== true)
    return isPlanned || parts > (device.planRoom?.any ?? parts)
      ? 'plan_reached'
      : isPaced
        ? 'at_pace'
        : 'no_room'
  return open.get(device.id)?.order === order && (chosen === null || open.get(chosen)?.order === order)
    ? 'equal'
    : 'later_stage'
}

/** Why a device never carries the message, regardless of its state; null if it may. */
function whyNever(device: Candidate, route: Route, parts: number, { way }: WayNow): Verdict | null {
  if (way.not?.includes(device.id) === true) return 'destination_excluded'
  if (route.excludes?.includes(device.id) === true) return 'undelivered_before'
  if (route.isOwnOnly === true && device.isOwnCarrier !== true) return 'not_in_way'
  if (!canCarry(device, { sender: route.sender, encodingForced: false })) return 'sender_not_allowed'
  if (route.encodingForced && !device.choosesEncoding) return 'encoding_not_available'
  return device.maxParts < parts ? 'too_long' : null
}

const sayings: Readonly<Record<Verdict, string>> = {
  next: 'It gets the message next.',
  equal: 'It works; another device of its stage comes first.',
  later_stage: 'Its stage is not open, or devices of an earlier stage come first.',
  outside_hours: 'Its stage is outside its hours.',
  not_in_way: 'Own devices carry this message for nothing, and it is none of them.',
  sender_not_allowed: 'It cannot send from the requested sender.',
  encoding_not_available: 'Its encoding cannot be chosen: it chooses by the text.',
  too_long: 'It cannot join this many parts.',
  destination_excluded: 'It does not send to this number.',
  offline: 'It does not work now.',
  drains: 'It accepts nothing new.',
  no_room: 'It has no room now.',
  at_pace: 'It is at its rate limit.',
  plan_reached:
    'Its SIM plan is reached: it gets nothing, or only what is for numbers that it counts already.',
  doubted: 'It failed repeatedly: others come first.',
  refused_this_message: 'It refused this message: others come first.',
  undelivered_before: 'The message that this one follows was not delivered over it.',
}

/** Says what opens a stage, in words. */
function opensOf({ offlineSeconds = 0, afterSeconds, busy, hours, onlyOffline }: Stage): string {
  const openings = [
    ...(afterSeconds === undefined ? [] : [`after ${spanOf(afterSeconds)}`]),
    ...(busy === true ? ['while devices before have no room'] : []),
    ...(offlineSeconds === null
      ? []
      : [`${offlineSeconds === 0 ? 'when' : `${spanOf(offlineSeconds)} after`} no device before works`]),
  ]
  const words = openings.length === 0 ? 'never' : openings.join(', or ')
  const unless = onlyOffline === true ? ', not even a failing one' : ''
  return `${words}${unless}${hours === undefined ? '' : `, ${writeHours(hours)}`}`
}

function spanOf(seconds: number): string {
  const size = seconds % 3_600 === 0 ? 3_600 : seconds % 60 === 0 ? 60 : 1
  const unit = size === 3_600 ? 'hour' : size === 60 ? 'minute' : 'second'
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

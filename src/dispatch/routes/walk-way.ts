import { isWithin } from '../../devices/routes/hours.ts'
import { placeIn, type Stage, usualWay, type Way } from '../../devices/routes/way.ts'
import { type Candidate, mayCarry, rankOf, roomForAny, type Route } from './candidate.ts'

/** A way, and what decides now which of its stages are open. */
export interface WayNow {
  way: Way
  nowMs: number
  /** Since when a device has not worked; null: it works, or that is not known. */
  offSinceMs(deviceId: string): number | null
}

/** The way of routes that no rule matches. */
export const usualNow: WayNow = { way: usualWay, nowMs: 0, offSinceMs: () => null }

/** What opened the stage of a device that got a message; `trial`: the device is distrusted, and is probed. */
export type Why = 'first' | 'offline_before' | 'busy_before' | 'waited' | 'refused_before' | 'trial'

/** A stage as it is now for the messages of a route. */
export interface StageNow {
  stage: Stage
  /** The devices that it names and that may carry the route, working or not. */
  devices: readonly Candidate[]
  /** What opens it for messages of any age; null: nothing. */
  opens: Exclude<Why, 'waited' | 'trial'> | null
  /** For how long a message must have been due for it to be open; null: no time opens it. */
  opensAfterMs: number | null
  isOutsideHours: boolean
}

/**
 * Walks a way: which of its stages are open now for the messages of a route, and why. It decides alone who may carry
 * what: the planner, a phone that asks, and every explanation read its result.
 */
export function walkWay(route: Route, now: WayNow, devices: readonly Candidate[]): StageNow[] {
  const { way, nowMs } = now
  const able = devices.filter((device) => way.not?.includes(device.id) !== true && mayCarry(device, route))
  const before = new Set<Candidate>()
  // A message that follows another one begins where that has left devices.
  const isFirst = (i: number): boolean =>
    i === 0 ||
    (route.excludes !== undefined &&
      !way.stages.slice(0, i).some((stage) => able.some((device) => placeIn(stage, device) >= 0)))
  return way.stages.map((stage, i) => {
    const named = able.filter((device) => placeIn(stage, device) >= 0)
    const isOutsideHours = stage.hours !== undefined && !isWithin(stage.hours, nowMs)
    const opens = isOutsideHours ? null : isFirst(i) ? 'first' : openedBy(stage, [...before], route, now)
    const opensAfterMs =
      isOutsideHours || stage.afterSeconds === undefined ? null : stage.afterSeconds * 1_000
    // Outside its hours a stage has no device that works: the next one may open.
    if (!isOutsideHours) for (const device of named) before.add(device)
    return { stage, devices: named, opens, opensAfterMs, isOutsideHours }
  })
}

function openedBy(
  stage: Stage,
  before: readonly Candidate[],
  route: Route,
  now: WayNow,
): 'offline_before' | 'refused_before' | 'busy_before' | null {
  const { offlineSeconds = 0, onlyOffline, busy } = stage
  const isUnused = (device: Candidate): boolean =>
    onlyOffline !== true && (device.isDoubted === true || device.id === route.avoids)
  const isOff = (device: Candidate): boolean =>
    device.health === 'offline' ? hasBeenOff(device, offlineSeconds ?? 0, now) : isUnused(device)
  if (offlineSeconds !== null && before.every(isOff))
    return before.some(({ id, health }) => health !== 'offline' && id === route.avoids)
      ? 'refused_before'
      : 'offline_before'
  const working = before.filter((device) => device.health !== 'offline' && !isUnused(device))
  // The room of a device on another node is not known here: it counts as some.
  const isFull = working.every((device) => roomForAny(device) <= 0 && device.isElsewhere !== true)
  return busy === true && working.length > 0 && isFull ? 'busy_before' : null
}

function hasBeenOff({ id }: Candidate, seconds: number, { nowMs, offSinceMs }: WayNow): boolean {
  if (seconds === 0) return true
  const sinceMs = offSinceMs(id)
  return sinceMs !== null && sinceMs <= nowMs - seconds * 1_000
}

/** A working device of an open stage. */
export interface Member {
  device: Candidate
  stage: StageNow
  /** The order of its stage. */
  order: number
  /** Its place among those that the stage names. */
  place: number
  /** See `rankOf`. */
  rank: number
  why: Why
}

/** Returns the working devices of the stages that are open for messages that have been due for `waitedMs`. */
export function openMembers(stages: readonly StageNow[], route: Route, waitedMs = 0): Member[] {
  const members = new Map<string, Member>()
  for (const [order, stage] of stages.entries()) {
    const isReached = stage.opensAfterMs !== null && stage.opensAfterMs <= waitedMs
    const why = stage.opens ?? (isReached ? 'waited' : null)
    if (why === null) continue
    for (const device of stage.devices)
      if (device.health !== 'offline' && !members.has(device.id))
        members.set(device.id, {
          device,
          stage,
          order,
          place: placeIn(stage.stage, device),
          rank: rankOf(device, route),
          why,
        })
  }
  return [...members.values()]
}

/** Returns the ages from which on further stages are open, in ms, the least first. */
export const agesOf = (stages: readonly StageNow[]): number[] => {
  const ages = stages.flatMap(({ opens, opensAfterMs }) =>
    opens === null && opensAfterMs !== null ? [opensAfterMs] : [],
  )
  return [...new Set(ages)].toSorted((a, b) => a - b)
}

/** Returns those of the best rank; of a stage with weights only the first of them. */
export function bestOf(members: readonly Member[]): { best: Member[]; sound: number } {
  const rank = Math.min(...members.map((member) => member.rank))
  const sound = members.filter((member) => member.rank === rank)
  const best = sound.filter(
    (member) =>
      member.stage.stage.by !== 'drawn' ||
      !sound.some(({ stage, place }) => stage === member.stage && place < member.place),
  )
  return { best, sound: sound.length }
}

import { createHash } from 'node:crypto'
import type { WayJson, WayStageJson } from '../../storage/tables/route-tables.ts'

/**
 * A way: over which devices a message goes, in which order, and what opens the next ones. It is decided when a message is
 * accepted, and its ID is part of the route: what waits together is what the same devices may carry.
 */
export type Way = WayJson

/** Devices that may carry a message at one point of its way, and what opens them. */
export type Stage = WayStageJson

/** The way of a message that no rule matches: an account's own devices, and shared ones while none of those works. */
export const usualStages: readonly Stage[] = [{ use: ['own'] }, { use: ['shared'], onlyOffline: true }]
export const usualWay: Way = { stages: usualStages }

/** Returns the name of the way of messages for which the sender chose a device, and the SIM of a phone by its slot. */
export const viaName = (deviceId: string, sim?: number): string =>
  sim === undefined ? deviceId : `${deviceId}/${sim}`

/** Returns the device of such a name. */
export const viaDevice = (name: string): string => name.split('/')[0] as string

/** Returns the SIM that the sender of a route's messages chose; null: none was chosen. */
export function viaSim(name: string | undefined): number | null {
  const slot = name?.startsWith('dev_') === true ? name.split('/')[1] : undefined
  return slot === undefined ? null : Number(slot)
}

/** Returns the way of such a name. */
export const viaWay = (name: string): Way => ({ stages: [{ use: [viaDevice(name)] }] })

/** Returns the way that a route names; null where it is not known. Without a name it is the usual one. */
export const wayNamed = (
  name: string | undefined,
  known: Pick<ReadonlyMap<string, Way>, 'get'>,
): Way | null =>
  name === undefined ? usualWay : name.startsWith('dev_') ? viaWay(name) : (known.get(name) ?? null)

/** What a way says, in one form: ways that say the same have the same text, on every node. */
export function wayText({ stages, not = [] }: Way): string {
  const written = stages.map(({ use, by, offlineSeconds, afterSeconds, busy, hours, onlyOffline }) => ({
    use,
    by,
    offlineSeconds: offlineSeconds === 0 ? undefined : offlineSeconds,
    afterSeconds,
    busy,
    hours: hours && { from: hours.from, until: hours.until, zone: hours.zone },
    onlyOffline,
  }))
  return JSON.stringify({ stages: written, not: not.length === 0 ? undefined : not.toSorted() })
}

/** Length of the ID of a way: 60 bits, so that a million ways share none. */
const idLength = 10

/** Returns the ID of a way by its content, so that every node gives it the same without asking. */
export const wayId = (way: Way): string =>
  createHash('sha256').update(wayText(way)).digest('base64url').replaceAll(/[-_]/g, '0').slice(0, idLength)

/** What says whether a stage names a device. */
interface Named {
  id: string
  /** Null: shared by the operator. */
  accountId: string | null
  groupId?: string | undefined
}

/** Returns the place in `use` by which a stage names a device; -1 if it does not. */
export const placeIn = ({ use }: Stage, device: Named): number =>
  use.findIndex(
    (name) =>
      name === device.id ||
      (name === 'own' && device.accountId !== null) ||
      (name === 'shared' && device.accountId === null) ||
      (device.groupId !== undefined && name === device.groupId),
  )

/** Returns whether a device can ever have messages of a way, by what the way names alone. */
export const isInWay = ({ stages, not }: Way, device: Named): boolean =>
  not?.includes(device.id) !== true && stages.some((stage) => placeIn(stage, device) >= 0)

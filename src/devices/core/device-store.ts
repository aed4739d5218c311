import { type Fault, refuse } from '../../runtime/errors.ts'
import type { Ids } from '../../runtime/ids.ts'
import { invalidInput, nameFaults } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import type { DeviceState, Flag, Mode } from '../../storage/tables/schema.ts'
import type { DeviceTable } from '../../storage/tables/device-tables.ts'
import type { Destinations } from '../../storage/tables/route-tables.ts'
import { endStanding, recordStandings } from '../status/device-history.ts'
import { removeCanariesOf } from '../canaries/canary-store.ts'
import { requireRoomInGroup } from './device-groups.ts'
import { requireOpenOwner } from './device-owner.ts'
import { clearDeviceMarks } from './device-marks.ts'
import { mergeDeviceSecrets, sealDeviceSecrets } from './device-secrets.ts'
import { deviceFaults, type DeviceRules, missingFaults, rulesOf } from './device-rules.ts'
import type { SecretBox } from '../../runtime/secret-box.ts'
import { simChange } from './sim-number.ts'
import { readJson, writeJson } from '../../storage/tables/json-columns.ts'

/**
 * The stored devices: owner, settings, senders and rate limit. Running them is up to the dispatcher, which
 * reads these rows again whenever one has changed.
 */
export interface DeviceDeps {
  ids: Ids
  nowMs: number
  secretBox: SecretBox
  /** What the kind of the device accepts. */
  rules: DeviceRules
}

/** How many parts a device may send per window. */
export interface Pace {
  partsPerWindow: number
  windowSeconds: number
}

export interface NewDevice {
  /** Null: shared by the operator with every account. */
  accountId: string | null
  mode: Mode
  kind: string
  name: string
  senders?: readonly string[]
  settings?: Readonly<Record<string, string>>
  secrets?: Readonly<Record<string, string>>
  pace?: Pace | null
  actor: string
}

const maxDevices = 10_000

/** Adds a device, enabled. Rejects invalid or missing settings, invalid senders, and unknown or closed accounts. */
export async function addDevice(tx: Tx, deps: DeviceDeps, device: NewDevice): Promise<string> {
  const { accountId, mode, kind, actor, senders = [], settings = {}, secrets = {}, pace = null } = device
  const name = device.name.trim()
  const rules = rulesOf(deps.rules, settings)
  const faults = [
    ...nameFaults(name),
    ...missingFaults(rules, { settings, secrets }),
    ...deviceFaults(rules, { senders, settings, secrets, pace }),
  ]
  if (faults.length > 0) throw invalidInput(faults)
  await requireOpenOwner(tx, accountId)
  await refuseTooMany(tx)
  const id = deps.ids('dev')
  await tx
    .insertInto('devices')
    .values({
      id,
      account_id: accountId,
      mode,
      kind,
      name,
      state: 'enabled',
      senders: writeJson(senders),
      settings: writeJson(settings),
      secrets: sealDeviceSecrets(deps.secretBox, id, secrets),
      ...paceColumns(pace),
      created_at: deps.nowMs,
      updated_at: deps.nowMs,
    })
    .execute()
  const detail = { deviceId: id, kind, name, mode, senders, settings, secrets: Object.keys(secrets), pace }
  await appendAudit(tx, deps, { accountId, actor, action: 'device.added', detail })
  await touchDirectory(tx)
  return id
}

export interface DeviceChange {
  deviceId: string
  name?: string
  /** `retired` is set by `retireDevice`. */
  state?: Extract<DeviceState, 'enabled' | 'disabled'>
  /** Whether it accepts nothing new and finishes what is in flight; a change of `state` ends that. */
  isDraining?: boolean
  senders?: readonly string[]
  /** The number of one SIM of a phone, which replaces the former one as a sender; null removes it. */
  sim?: { slot: number; number: string | null }
  /** Merged into the current ones; null restores the default. */
  settings?: Readonly<Record<string, string | null>>
  secrets?: Readonly<Record<string, string>>
  /** Null removes the limit. */
  pace?: Pace | null
  /** Null takes it out of its group. */
  groupId?: string | null
  /** Merged into the present ones; an empty list ends a limit. */
  destinations?: Destinations
  actor: string
}

/** Changes only what is given. Rejects unknown and retired devices, and what `addDevice` would reject. */
export async function setDevice(tx: Tx, deps: DeviceDeps, wanted: DeviceChange): Promise<void> {
  const row = await readDevice(tx, wanted.deviceId)
  const change = withSim(row, wanted)
  const settings = mergeSettings(readJson(row.settings), change.settings ?? {})
  const { senders, secrets = {}, pace } = change
  const faults: Fault[] = change.name === undefined ? [] : nameFaults(change.name)
  // Only new values are checked: a rule that was added later must not keep an old device from being disabled.
  const given = Object.fromEntries(
    Object.keys(change.settings ?? {}).map((name) => [name, change.settings?.[name] ?? null]),
  )
  faults.push(
    ...deviceFaults(rulesOf(deps.rules, settings), {
      senders: senders ?? [],
      settings: given,
      secrets,
      pace: pace ?? null,
    }),
  )
  if (faults.length > 0) throw invalidInput(faults)
  if (typeof change.groupId === 'string') await requireRoomInGroup(tx, deps, change.groupId, row)
  await tx
    .updateTable('devices')
    .set({
      name: change.name?.trim() ?? row.name,
      state: change.state ?? row.state,
      draining: isDraining(change, row) ? 1 : 0,
      senders: senders === undefined ? row.senders : writeJson(senders),
      settings: writeJson(settings),
      secrets: mergeDeviceSecrets(deps.secretBox, row, secrets),
      ...(pace === undefined ? {} : paceColumns(pace)),
      ...(change.groupId === undefined ? {} : { group_id: change.groupId }),
      ...(change.destinations && { destinations: mergeDestinations(row, change.destinations) }),
      // Later than before, regardless of the clock: the dispatcher detects the change by it.
      updated_at: Math.max(deps.nowMs, row.updated_at + 1),
    })
    .where('id', '=', row.id)
    .execute()
  if (Object.keys(secrets).length > 0) await clearDeviceMarks(tx, row.id)
  // A disabled device is not reported by any node.
  if (change.state === 'disabled')
    await recordStandings(tx, [{ deviceId: row.id, status: 'disabled', reasons: [], atMs: deps.nowMs }])
  const { actor, deviceId: _, ...detail } = { ...change, secrets: Object.keys(secrets) }
  await appendAudit(tx, deps, {
    accountId: row.account_id,
    actor,
    action: 'device.changed',
    detail: { deviceId: row.id, ...detail },
  })
  await touchDirectory(tx)
}

/**
 * Applies the number of a SIM to the current senders: with senders from an earlier read another change would
 * be lost.
 */
function withSim(
  row: Pick<DeviceRow, 'senders' | 'settings'>,
  { sim, ...change }: DeviceChange,
): Omit<DeviceChange, 'sim'> {
  if (sim === undefined) return change
  const senders = change.senders ?? readJson(row.senders)
  const settings = readJson(row.settings)
  const named = simChange({ settings, senders }, sim.slot, sim.number)
  return { ...change, senders: named.senders, settings: { ...change.settings, ...named.settings } }
}

/**
 * Removes a device permanently. Its history keeps its name, its secrets are erased. Returns false when it was
 * retired before.
 */
export async function retireDevice(
  tx: Tx,
  deps: Pick<DeviceDeps, 'ids' | 'nowMs'>,
  change: { deviceId: string; actor: string },
): Promise<boolean> {
  const row = await tx.selectFrom('devices').selectAll().where('id', '=', change.deviceId).executeTakeFirst()
  if (row === undefined) throw noDevice(change.deviceId)
  if (row.state === 'retired') return false
  const updated_at = Math.max(deps.nowMs, row.updated_at + 1)
  await tx
    .updateTable('devices')
    .set({ state: 'retired', secrets: null, updated_at })
    .where('id', '=', row.id)
    .execute()
  await tx.updateTable('phones').set({ signing_key: '' }).where('device_id', '=', row.id).execute()
  await tx.deleteFrom('device_reports').where('device_id', '=', row.id).execute()
  await removeCanariesOf(tx, row.id)
  for (const table of ['sim_plans', 'sim_usage', 'sim_numbers'] as const)
    await tx.deleteFrom(table).where('device_id', '=', row.id).execute()
  await endStanding(tx, row.id, deps.nowMs)
  const { account_id: accountId } = row
  await appendAudit(tx, deps, {
    accountId,
    actor: change.actor,
    action: 'device.retired',
    detail: { deviceId: row.id, name: row.name },
  })
  await touchDirectory(tx)
  return true
}

const mergeSettings = (
  present: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ ...present, ...changes }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value]],
    ),
  )

function mergeDestinations(
  { destinations }: Pick<DeviceRow, 'destinations'>,
  change: Destinations,
): DeviceRow['destinations'] {
  const merged = { ...(destinations === null ? {} : readJson(destinations)), ...change }
  const isLimited = [merged.onlyTo, merged.notTo].some((prefixes) => (prefixes?.length ?? 0) > 0)
  return isLimited ? writeJson(merged) : null
}

const paceColumns = (pace: Pace | null) => ({
  parts_per_window: pace?.partsPerWindow ?? null,
  window_seconds: pace?.windowSeconds ?? null,
})

const noDevice = (deviceId: string) => refuse('not_found', { detail: `Device ${deviceId} not found.` })

type DeviceRow = Pick<
  DeviceTable,
  | 'id'
  | 'account_id'
  | 'mode'
  | 'name'
  | 'state'
  | 'senders'
  | 'settings'
  | 'secrets'
  | 'updated_at'
  | 'destinations'
> & { draining: Flag }

const isDraining = (change: DeviceChange, row: DeviceRow): boolean =>
  change.isDraining ?? (change.state === undefined && row.draining === 1)

async function readDevice(tx: Tx, deviceId: string): Promise<DeviceRow> {
  const row = await tx.selectFrom('devices').selectAll().where('id', '=', deviceId).executeTakeFirst()
  if (row === undefined || row.state === 'retired') throw noDevice(deviceId)
  return row
}

async function refuseTooMany(tx: Tx): Promise<void> {
  const count = await tx
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('devices'))
    .where('state', '!=', 'retired')
    .executeTakeFirstOrThrow()
  if (count.devices >= maxDevices) {
    throw invalidInput([
      { code: 'too_many_items', detail: `Maximum of ${maxDevices} devices reached. Remove one first.` },
    ])
  }
}

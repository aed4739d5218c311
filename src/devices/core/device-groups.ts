import { dayMs } from '../../runtime/clock.ts'
import { refuse } from '../../runtime/errors.ts'
import type { Ids } from '../../runtime/ids.ts'
import { invalidInput, nameFaults } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import type { Flag, Mode } from '../../storage/tables/schema.ts'

interface Deps {
  ids: Ids
  nowMs: number
}

export interface DeviceGroup {
  id: string
  name: string
  sharedReceipts: boolean
  deviceIds: string[]
  createdAt: number
}

const maxGroups = 1_000
/** Limits what a receipt costs that the reporting device does not expect. */
const maxSharing = 8
/** Of a group that shares no receipts: a way of a route names it once, and each of its devices is then looked at. */
const maxMembers = 100
/** How long a part is searched for that a receipt may belong to (src/messages/outcomes/open-parts.ts). */
const receiptsExpireMs = 36 * dayMs

/** Adds a group without devices. Rejects invalid names. */
export async function addGroup(
  tx: Tx,
  deps: Deps,
  group: { name: string; sharedReceipts: boolean; actor: string },
): Promise<string> {
  const name = group.name.trim()
  const faults = nameFaults(name)
  if (faults.length > 0) throw invalidInput(faults)
  const { groups } = await tx
    .selectFrom('device_groups')
    .select(({ fn }) => fn.countAll<number>().as('groups'))
    .executeTakeFirstOrThrow()
  if (groups >= maxGroups)
    throw invalidInput([
      { code: 'too_many_items', detail: `Maximum of ${maxGroups} groups reached. Remove one first.` },
    ])
  const id = deps.ids('grp')
  const { sharedReceipts, actor } = group
  const row = {
    id,
    name,
    shared_receipts: sharedReceipts ? (1 as const) : (0 as const),
    created_at: deps.nowMs,
  }
  await tx.insertInto('device_groups').values(row).execute()
  const detail = { groupId: id, name, sharedReceipts }
  await appendAudit(tx, deps, { accountId: null, actor, action: 'device_group.added', detail })
  return id
}

interface GroupChange {
  groupId: string
  name?: string
  sharedReceipts?: boolean
  actor: string
}

/** Renames a group, or says whether its devices share their receipts. Rejects invalid names, unknown groups, and one with too many devices to share receipts. */
export async function setGroup(
  tx: Tx,
  deps: Deps,
  { groupId, name, sharedReceipts, actor }: GroupChange,
): Promise<void> {
  const before = await readGroup(tx, groupId)
  const faults = name === undefined ? [] : nameFaults(name.trim())
  if (faults.length > 0) throw invalidInput(faults)
  if (sharedReceipts === true && (await readMembers(tx, groupId)).length > maxSharing)
    throw tooManyMembers(maxSharing)
  const change = {
    name: name?.trim() ?? before.name,
    shared_receipts: (sharedReceipts ?? before.shared_receipts === 1) ? (1 as const) : (0 as const),
  }
  await tx.updateTable('device_groups').set(change).where('id', '=', groupId).execute()
  const detail = { groupId, name: change.name, sharedReceipts: change.shared_receipts === 1 }
  await appendAudit(tx, deps, { accountId: null, actor, action: 'device_group.changed', detail })
  await touchDirectory(tx)
}

/** Returns one group with its devices. Rejects an unknown one. */
export async function findGroup(db: Db, groupId: string): Promise<DeviceGroup> {
  const found = (await listGroups(db)).find(({ id }) => id === groupId)
  if (found === undefined) throw unknownGroup(groupId)
  return found
}

/** Returns all groups with their devices that are not removed, oldest first. */
export async function listGroups(db: Db): Promise<DeviceGroup[]> {
  const groups = await db.selectFrom('device_groups').selectAll().orderBy('id').execute()
  const devices = await db
    .selectFrom('devices')
    .select(['id', 'group_id'])
    .where('group_id', 'is not', null)
    .where('state', '!=', 'retired')
    .orderBy('id')
    .execute()
  return groups.map((group) => ({
    id: group.id,
    name: group.name,
    sharedReceipts: group.shared_receipts === 1,
    deviceIds: devices.filter(({ group_id }) => group_id === group.id).map(({ id }) => id),
    createdAt: group.created_at,
  }))
}

/** Takes the devices out of a group and removes it. Rejects an unknown group, and one that a rule of routes names. */
export async function removeGroup(
  tx: Tx,
  deps: Deps,
  { groupId, actor }: { groupId: string; actor: string },
): Promise<void> {
  await readGroup(tx, groupId)
  const rule = await tx
    .selectFrom('route_rules')
    .select(['id', 'name'])
    .where('stages', 'like', `%"${groupId}"%`)
    .executeTakeFirst()
  if (rule !== undefined)
    throw invalidInput([
      {
        code: 'out_of_range',
        detail: `The rule ${rule.id} (${rule.name}) names this group. Change the rule first.`,
      },
    ])
  await tx
    .updateTable('devices')
    .set((eb) => ({ group_id: null, updated_at: eb('updated_at', '+', 1) }))
    .where('group_id', '=', groupId)
    .execute()
  await tx.deleteFrom('device_groups').where('id', '=', groupId).execute()
  await appendAudit(tx, deps, { accountId: null, actor, action: 'device_group.removed', detail: { groupId } })
  await touchDirectory(tx)
}

/**
 * Rejects an unknown or full group, and one of another owner or mode: receipts of one account must not change
 * messages of another (P10). A removed device counts while receipts of its messages may arrive, and then
 * leaves the group.
 */
export async function requireRoomInGroup(
  tx: Tx,
  { nowMs }: Pick<Deps, 'nowMs'>,
  groupId: string,
  device: { id: string; account_id: string | null; mode: Mode },
): Promise<void> {
  const { shared_receipts: isSharing } = await readGroup(tx, groupId)
  await tx
    .updateTable('devices')
    .set({ group_id: null })
    .where('group_id', '=', groupId)
    .where('state', '=', 'retired')
    .where('updated_at', '<', nowMs - receiptsExpireMs)
    .execute()
  const others = (await readMembers(tx, groupId)).filter(({ id }) => id !== device.id)
  const most = isSharing === 1 ? maxSharing : maxMembers
  if (others.length >= most) throw tooManyMembers(most)
  if (others.some((other) => other.account_id !== device.account_id || other.mode !== device.mode))
    throw invalidInput([
      {
        code: 'not_in_enum',
        detail:
          'The devices of a group must have the same owner and mode. A removed device counts for 36 days, while receipts of its messages may arrive.',
      },
    ])
}

async function readGroup(tx: Tx, groupId: string): Promise<{ name: string; shared_receipts: Flag }> {
  const row = await tx
    .selectFrom('device_groups')
    .select(['name', 'shared_receipts'])
    .where('id', '=', groupId)
    .executeTakeFirst()
  if (row === undefined) throw unknownGroup(groupId)
  return row
}

const readMembers = (tx: Tx, groupId: string) =>
  tx.selectFrom('devices').select(['id', 'account_id', 'mode']).where('group_id', '=', groupId).execute()

const unknownGroup = (groupId: string) => refuse('not_found', { detail: `Unknown group ${groupId}.` })

const tooManyMembers = (most: number) =>
  invalidInput([
    {
      code: 'too_many_items',
      detail: `A group${most === maxSharing ? ' that shares receipts' : ''} has at most ${most} devices. A removed device counts for 36 days, while receipts of its messages may arrive. Take one out first.`,
    },
  ])

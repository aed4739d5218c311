import { dayMs } from '../../runtime/clock.ts'
import { refuse } from '../../runtime/errors.ts'
import type { Ids } from '../../runtime/ids.ts'
import { invalidInput, nameFaults } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import type { Mode } from '../../storage/tables/schema.ts'

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
const maxMembers = 8
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

/** Takes the devices out of a group and removes it. Rejects an unknown group. */
export async function removeGroup(
  tx: Tx,
  deps: Deps,
  { groupId, actor }: { groupId: string; actor: string },
): Promise<void> {
  await readGroup(tx, groupId)
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
  await readGroup(tx, groupId)
  await tx
    .updateTable('devices')
    .set({ group_id: null })
    .where('group_id', '=', groupId)
    .where('state', '=', 'retired')
    .where('updated_at', '<', nowMs - receiptsExpireMs)
    .execute()
  const others = await tx
    .selectFrom('devices')
    .select(['account_id', 'mode'])
    .where('group_id', '=', groupId)
    .where('id', '!=', device.id)
    .execute()
  if (others.length >= maxMembers)
    throw invalidInput([
      {
        code: 'too_many_items',
        detail: `A group has at most ${maxMembers} devices. A removed device counts for 36 days, while receipts of its messages may arrive. Take one out first.`,
      },
    ])
  if (others.some((other) => other.account_id !== device.account_id || other.mode !== device.mode))
    throw invalidInput([
      {
        code: 'not_in_enum',
        detail:
          'The devices of a group must have the same owner and mode. A removed device counts for 36 days, while receipts of its messages may arrive.',
      },
    ])
}

async function readGroup(tx: Tx, groupId: string): Promise<void> {
  const row = await tx.selectFrom('device_groups').select('id').where('id', '=', groupId).executeTakeFirst()
  if (row === undefined) throw refuse('not_found', { detail: `Unknown group ${groupId}.` })
}

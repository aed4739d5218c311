import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'

interface InGroup {
  deviceId: string
  groupId?: string | undefined
}

/** The devices that share their receipts. */
export interface GroupMembers {
  /** Returns the device, first, and the others of its group if they share their receipts. */
  of(member: InGroup): string[]
}

const sharing = {
  sql: `select d.id, d.group_id from device_groups g cross join devices d
        where g.id = :group and g.shared_receipts = 1 and d.group_id = g.id order by d.id`,
  inputs: ['group'],
} as const

/** Reads the groups of these devices, without a statement if there are none. */
export async function readMembers(tx: Tx, members: readonly InGroup[]): Promise<GroupMembers> {
  const groups = new Set(members.flatMap(({ groupId }) => groupId ?? []))
  const inputs = [...groups].map((group) => [group])
  const rows = await selectEach<{ id: string; group_id: string }>(tx, sharing, inputs)
  const ids = Map.groupBy(rows, (row) => row.group_id)
  return {
    of: ({ deviceId, groupId = '' }) => [
      deviceId,
      ...(ids.get(groupId) ?? []).flatMap(({ id }) => (id === deviceId ? [] : [id])),
    ],
  }
}

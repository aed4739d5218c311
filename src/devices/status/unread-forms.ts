import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { UnreadFormTable, UnreadKind } from '../../storage/tables/device-tables.ts'
import { addToRows, selectEach, updateRows } from '../../storage/seam/sets.ts'

/**
 * What a device sent and could not be parsed, once per form: without any number, text or name. Times are
 * milliseconds.
 */
export interface UnreadForm {
  deviceId: string
  kind: UnreadKind
  /** Its shape, 1 to 100 letters. */
  form: string
  times: number
  firstAt: number
  lastAt: number
}

/** Limits the list for a device that keeps sending new forms; what exceeds it is counted together. */
export const maxForms = 50
const others = 'other forms'

const known = {
  sql: 'select device_id, kind, form from unread_forms where device_id = :device',
  inputs: ['device'],
} as const

/**
 * Adds to the lists of these devices. A report by a server that has not yet learned of the erasure of a
 * device is dropped.
 */
export async function recordUnread(tx: Tx, forms: readonly UnreadForm[]): Promise<void> {
  const ids = [...new Set(forms.map(({ deviceId }) => deviceId))]
  const present = new Set(
    (await tx.selectFrom('devices').select('id').where('id', 'in', ids).execute()).map(({ id }) => id),
  )
  type Name = Pick<UnreadFormTable, 'device_id' | 'kind' | 'form'>
  const listed = await selectEach<Name & Record<string, string>>(
    tx,
    known,
    ids.map((id) => [id]),
  )
  const names = new Map(ids.map((id) => [id, new Set<string>()]))
  for (const { device_id, kind, form } of listed) names.get(device_id)?.add(`${kind} ${form}`)
  const rows = new Map<string, UnreadFormTable>()
  for (const { deviceId, kind, form, times, firstAt, lastAt } of forms) {
    const ofDevice = names.get(deviceId)
    if (ofDevice === undefined || !present.has(deviceId)) continue
    const isListed = ofDevice.has(`${kind} ${form}`) || ofDevice.size < maxForms
    const named = isListed ? form : others
    if (isListed) ofDevice.add(`${kind} ${form}`)
    const key = `${deviceId} ${kind} ${named}`
    const row = rows.get(key)
    rows.set(key, {
      device_id: deviceId,
      kind,
      form: named,
      times: (row?.times ?? 0) + times,
      first_at: Math.min(row?.first_at ?? firstAt, firstAt),
      last_at: Math.max(row?.last_at ?? lastAt, lastAt),
    })
  }
  const changed = [...rows.values()]
  await addToRows(tx, 'unread_forms', { key, amounts: ['times'], lowest: ['first_at', 'last_at'] }, changed)
  await updateRows(
    tx,
    'unread_forms',
    [...key],
    changed.map(({ device_id, kind, form, last_at }) => ({ device_id, kind, form, last_at })),
  )
}

const key = ['device_id', 'kind', 'form'] as const

/** Returns the list of a device, latest first. */
export async function listUnread(db: Db, deviceId: string): Promise<UnreadForm[]> {
  const rows = await db
    .selectFrom('unread_forms')
    .selectAll()
    .where('device_id', '=', deviceId)
    .orderBy('last_at', 'desc')
    .orderBy('kind')
    .orderBy('form')
    .execute()
  return rows.map((row) => ({
    deviceId: row.device_id,
    kind: row.kind,
    form: row.form,
    times: row.times,
    firstAt: row.first_at,
    lastAt: row.last_at,
  }))
}

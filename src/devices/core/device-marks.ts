import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { insertRows } from '../../storage/seam/sets.ts'

/** A mark that a connector sets on its device, such as that a PIN was tried: the same for all nodes and starts. */
interface DeviceMark {
  deviceId: string
  name: string
}

/** Sets a mark; returns false when it was set before. */
export async function markDevice(
  tx: Tx,
  { deviceId, name, nowMs }: DeviceMark & { nowMs: number },
): Promise<boolean> {
  const row = { device_id: deviceId, name, at: nowMs }
  return (await insertRows(tx, 'device_marks', [row], 'ignore')) > 0
}

/** Returns whether a mark is set: most are not, and removing nothing would be a write. */
export async function hasDeviceMark(db: Db, { deviceId, name }: DeviceMark): Promise<boolean> {
  const found = await db
    .selectFrom('device_marks')
    .select('name')
    .where('device_id', '=', deviceId)
    .where('name', '=', name)
    .executeTakeFirst()
  return found !== undefined
}

/** Removes a mark, if it is set. */
export async function unmarkDevice(tx: Tx, { deviceId, name }: DeviceMark): Promise<void> {
  await tx.deleteFrom('device_marks').where('device_id', '=', deviceId).where('name', '=', name).execute()
}

/** Removes all marks of a device: a person has set its secrets again. */
export async function clearDeviceMarks(tx: Tx, deviceId: string): Promise<void> {
  await tx.deleteFrom('device_marks').where('device_id', '=', deviceId).execute()
}

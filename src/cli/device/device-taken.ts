import type { Clock } from '../../runtime/clock.ts'
import { reportLifetimeMs } from '../../devices/status/device-report.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { lookUntil } from '../core/look-until.ts'

/** A server polls for new devices twice a second and reports them each second; a link has 2 s to start. */
const withinMs = 5_000
const everyMs = 100

/**
 * Waits until a running server has started a new device: before that a send finds no device. Returns false after the
 * timeout, and null immediately when no server has reported itself lately.
 */
export async function isTaken(clock: Clock, read: Db, deviceId: string): Promise<boolean | null> {
  const running = await read
    .selectFrom('server_runs')
    .select('epoch')
    .where('seen_at', '>', clock.now() - reportLifetimeMs)
    .limit(1)
    .executeTakeFirst()
  if (running === undefined) return null
  const readReport = () =>
    read.selectFrom('device_reports').select('device_id').where('device_id', '=', deviceId).executeTakeFirst()
  return (await lookUntil(clock, readReport, { withinMs, everyMs })) !== null
}

import type { Clock } from '../clock.ts'
import { reportLifetimeMs } from '../devices/device-report.ts'
import type { Db } from '../storage/dialect.ts'
import { lookUntil } from './look-until.ts'

/** A server looks for new devices twice a second, and reports them each second; a link is given two seconds to start. */
const withinMs = 5_000
const everyMs = 100

/**
 * Whether a running server has taken a new device: before that a send finds none. Waits for it; null at once where no server runs, by what the last one said
 * of itself.
 */
export async function isTaken(clock: Clock, read: Db, deviceId: string): Promise<boolean | null> {
  const running = await read
    .selectFrom('server_runs')
    .select('epoch')
    .where('seen_at', '>', clock.now() - reportLifetimeMs)
    .limit(1)
    .executeTakeFirst()
  if (running === undefined) return null
  const look = () =>
    read.selectFrom('device_reports').select('device_id').where('device_id', '=', deviceId).executeTakeFirst()
  return (await lookUntil(clock, look, { withinMs, everyMs })) !== null
}

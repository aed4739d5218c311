import { everySpelling, presentSpelling } from '../../numbers/number-changes.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'

/**
 * Maximum messages read of a number that machines send to all day; those through other devices do not count.
 */
const maxRowsRead = 1_000

const sentThere = {
  sql: `select :number as number from (
          select account_id, id, device_id, mode, status from messages where recipient = :number
          order by account_id desc, mode desc, id desc limit :most) m
        where m.mode = :mode and (m.device_id = :device and m.status in ('sent', 'delivered', 'undelivered', 'unconfirmed')
          or m.status = 'queued' and exists (select 1 from attempts a where a.account_id = m.account_id and a.mode = m.mode
            and a.message_id = m.id and a.ended_at is null and a.device_id = :device))
        limit 1`,
  inputs: ['device', 'mode', 'number', 'most'],
} as const

/**
 * Returns which of these numbers were sent a message through this device that arrived or may have arrived:
 * each once, in the spelling that was sent to.
 */
export async function findNumbersSentTo(
  db: Db,
  { deviceId, mode, numbers }: { deviceId: string; mode: Mode; numbers: readonly string[] },
): Promise<string[]> {
  const spellings = new Set(numbers.flatMap(everySpelling))
  const inputs = [...spellings].map((number) => [deviceId, mode, number, maxRowsRead])
  const rows = await selectEach<{ number: string }>(db, sentThere, inputs)
  return [...new Map(rows.map(({ number }) => [presentSpelling(number), number])).values()]
}

import { everySpelling, presentSpelling } from '../../numbers/number-changes.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'

/** Of a number that machines write to all day so many messages are looked at: through other devices, none of them tells anything. */
const maxLookedAt = 1_000

const sentThere = {
  sql: `select :number as number from (
          select device_id, mode, status from messages where recipient = :number
          order by account_id desc, mode desc, id desc limit :most) m
        where m.device_id = :device and m.mode = :mode
          and m.status in ('sending', 'sent', 'delivered', 'undelivered', 'unconfirmed')
        limit 1`,
  inputs: ['device', 'mode', 'number', 'most'],
} as const

/** Which of these numbers were sent anything through this device, whether it arrived or may have: each once, as it was written to. */
export async function findWritten(
  db: Db,
  { deviceId, mode, numbers }: { deviceId: string; mode: Mode; numbers: readonly string[] },
): Promise<string[]> {
  const spellings = new Set(numbers.flatMap(everySpelling))
  const inputs = [...spellings].map((number) => [deviceId, mode, number, maxLookedAt])
  const rows = await selectEach<{ number: string }>(db, sentThere, inputs)
  return [...new Map(rows.map(({ number }) => [presentSpelling(number), number])).values()]
}

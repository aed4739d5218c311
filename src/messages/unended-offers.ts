import type { Db } from '../storage/dialect.ts'
import { selectEach } from '../storage/sets.ts'
import { longestOfferMs } from './phone-offers.ts'

const unended = {
  sql: `select count(*) as count
        from phone_offers o cross join attempts a
        where o.device_id = :device and o.closed_at is null and o.offered_at > :after and o.phone_id = :phone and a.ended_at is null
          and a.account_id = o.account_id and a.mode = o.mode and a.message_id = o.message_id and a.number = o.attempt_number`,
  inputs: ['device', 'after', 'phone'],
} as const

/** How many messages a phone was given of which nobody knows yet what became, whether it has said to have them or not. */
export async function countUnended(
  db: Db,
  { deviceId, phoneId, nowMs }: { deviceId: string; phoneId: string; nowMs: number },
): Promise<number> {
  const [row] = await selectEach<{ count: number }>(db, unended, [
    [deviceId, nowMs - longestOfferMs, phoneId],
  ])
  return row?.count ?? 0
}

import type { Db } from '../storage/dialect.ts'
import { selectEach } from '../storage/sets.ts'
import { longestOfferMs, mostOpen } from './phone-offers.ts'

const unended = {
  sql: `select o.attempt_id
        from phone_offers o cross join attempts a
        where o.device_id = :device and o.closed_at is null and o.offered_at > :after and o.phone_id = :phone and a.ended_at is null
          and a.account_id = o.account_id and a.mode = o.mode and a.message_id = o.message_id and a.number = o.attempt_number
        order by o.offered_at limit :most`,
  inputs: ['device', 'after', 'phone', 'most'],
} as const

/** The attempts that a phone was given and of which nobody knows yet what became, whether it has said to have them or not. */
export async function readUnended(
  db: Db,
  { deviceId, phoneId, nowMs }: { deviceId: string; phoneId: string; nowMs: number },
): Promise<string[]> {
  const rows = await selectEach<{ attempt_id: string }>(db, unended, [
    [deviceId, nowMs - longestOfferMs, phoneId, mostOpen],
  ])
  return rows.map((row) => row.attempt_id)
}

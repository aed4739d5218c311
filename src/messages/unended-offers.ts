import type { Db } from '../storage/dialect.ts'
import { selectEach } from '../storage/sets.ts'
import { longestOfferMs, mostOpen } from './phone-offers.ts'

const givenTo = {
  sql: `select o.attempt_id, o.offered_at
        from phone_offers o cross join attempts a
        where o.device_id = :device and o.closed_at is null and o.offered_at > :after and o.phone_id = :phone and a.ended_at is null
          and a.account_id = o.account_id and a.mode = o.mode and a.message_id = o.message_id and a.number = o.attempt_number
        order by o.offered_at limit :most`,
  inputs: ['device', 'after', 'phone', 'most'],
} as const

/** The attempts that a phone was given in this span up to now, of which nobody knows yet what became, whether it has said to have them or not. */
export async function readUnended(
  db: Db,
  given: { deviceId: string; phoneId: string; nowMs: number; spanMs: number },
): Promise<{ attemptId: string; offeredAt: number }[]> {
  const { deviceId, phoneId, nowMs, spanMs } = given
  const rows = await selectEach<{ attempt_id: string; offered_at: number }>(db, givenTo, [
    [deviceId, nowMs - Math.min(spanMs, longestOfferMs), phoneId, mostOpen],
  ])
  return rows.map((row) => ({ attemptId: row.attempt_id, offeredAt: row.offered_at }))
}

const unendedAmong = {
  sql: `select o.attempt_id
        from phone_offers o cross join attempts a
        where o.attempt_id = :attempt and o.closed_at is null and a.ended_at is null
          and a.account_id = o.account_id and a.mode = o.mode and a.message_id = o.message_id and a.number = o.attempt_number`,
  inputs: ['attempt'],
} as const

/** Those of the attempts of which nobody knows yet what became. */
export async function findUnended(db: Db, attemptIds: readonly string[]): Promise<Set<string>> {
  const inputs = attemptIds.map((attemptId) => [attemptId])
  const rows = await selectEach<{ attempt_id: string }>(db, unendedAmong, inputs)
  return new Set(rows.map((row) => row.attempt_id))
}

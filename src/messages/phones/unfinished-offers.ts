import type { Db } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { longestOfferMs, maxOpen } from './phone-offers.ts'

const offeredTo = {
  sql: `select o.attempt_id, o.offered_at
        from phone_offers o cross join attempts a
        where o.device_id = :device and o.closed_at is null and o.offered_at > :after and o.phone_id = :phone and a.ended_at is null
          and a.account_id = o.account_id and a.mode = o.mode and a.message_id = o.message_id and a.number = o.attempt_number
        order by o.offered_at limit :most`,
  inputs: ['device', 'after', 'phone', 'most'],
} as const

/**
 * Returns the attempts that a phone was offered within this span and that are not finished, acknowledged or
 * not.
 */
export async function readUnfinishedOffers(
  db: Db,
  asked: { deviceId: string; phoneId: string; nowMs: number; spanMs: number },
): Promise<{ attemptId: string; offeredAt: number }[]> {
  const { deviceId, phoneId, nowMs, spanMs } = asked
  const rows = await selectEach<{ attempt_id: string; offered_at: number }>(db, offeredTo, [
    [deviceId, nowMs - Math.min(spanMs, longestOfferMs), phoneId, maxOpen],
  ])
  return rows.map((row) => ({ attemptId: row.attempt_id, offeredAt: row.offered_at }))
}

const unfinishedAmong = {
  sql: `select o.attempt_id
        from phone_offers o cross join attempts a
        where o.attempt_id = :attempt and o.closed_at is null and a.ended_at is null
          and a.account_id = o.account_id and a.mode = o.mode and a.message_id = o.message_id and a.number = o.attempt_number`,
  inputs: ['attempt'],
} as const

/** Returns those of the attempts that are not finished. */
export async function findUnfinishedOffers(db: Db, attemptIds: readonly string[]): Promise<Set<string>> {
  const inputs = attemptIds.map((attemptId) => [attemptId])
  const rows = await selectEach<{ attempt_id: string }>(db, unfinishedAmong, inputs)
  return new Set(rows.map((row) => row.attempt_id))
}

const heldBy = {
  sql: `select o.device_id, o.attempt_id
        from phones p cross join phone_offers o cross join attempts a
        where p.device_id = :device and p.superseded_at is null
          and o.device_id = :device and o.closed_at is null and o.offered_at > :after and o.phone_id = p.id and a.ended_at is null
          and a.account_id = o.account_id and a.mode = o.mode and a.message_id = o.message_id and a.number = o.attempt_number
        limit :most`,
  inputs: ['device', 'after', 'most'],
} as const

/**
 * Counts the unfinished messages that these devices hold, up to `most`. Messages that a reinstalled app has
 * lost are not counted.
 */
export async function countUnfinishedOffers(
  db: Db,
  deviceIds: readonly string[],
  { nowMs, most }: { nowMs: number; most: number },
): Promise<Map<string, number>> {
  const inputs = deviceIds.map((deviceId) => [deviceId, nowMs - longestOfferMs, most])
  const rows = await selectEach<{ device_id: string; attempt_id: string }>(db, heldBy, inputs)
  const counts = new Map(deviceIds.map((deviceId) => [deviceId, 0]))
  for (const { device_id } of rows) counts.set(device_id, (counts.get(device_id) ?? 0) + 1)
  return counts
}

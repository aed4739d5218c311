import { everySpelling } from '../../numbers/number-changes.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Category, Encoding } from '../../storage/tables/schema.ts'
import { idsOf } from '../core/evidence-store.ts'
import { placedColumns } from '../core/open-attempt.ts'
import type { Claimed } from '../queue/claim-messages.ts'
import { claimsOf } from './open-claims.ts'
import { readRivals, rivalInputs } from './rivals.ts'

/** An attempt whose outcome is unknown, with what its device needs to ask for it. */
export interface UnknownAttempt {
  attemptId: string
  to: string
  from: string | null
  /** Null once it was erased. */
  text: string | null
  encoding: Encoding
  parts: number
  category: Category
  startedAt: number
  endedAt: number
}

/**
 * Reads the attempts of a device whose outcome is unknown, the newest first: they have places among the expected receipts
 * (decision 13), whose keys are read in one range. Those that ended before `sinceMs` are omitted.
 */
export async function readUnknownAttempts(
  db: Db,
  { deviceId, sinceMs, most }: { deviceId: string; sinceMs: number; most: number },
): Promise<UnknownAttempt[]> {
  const rows = await db
    .selectFrom('receipts_expected as r')
    .innerJoin('attempts as a', (join) =>
      join
        .onRef('a.account_id', '=', 'r.account_id')
        .onRef('a.mode', '=', 'r.mode')
        .onRef('a.message_id', '=', 'r.message_id')
        .onRef('a.number', '=', 'r.attempt_number'),
    )
    .innerJoin('messages as m', (join) =>
      join
        .onRef('m.account_id', '=', 'r.account_id')
        .onRef('m.mode', '=', 'r.mode')
        .onRef('m.id', '=', 'r.message_id'),
    )
    .select(['a.id as attemptId', 'a.started_at as startedAt', 'a.ended_at as endedAt'])
    .select(['m.recipient as to', 'm.sender as from', 'm.text', 'm.encoding', 'm.parts', 'm.category'])
    // Every key of a part with unknown outcome begins with a question mark, which `@` follows.
    .where('r.network_id', '>', '?')
    .where('r.network_id', '<', '@')
    .where('r.device_id', '=', deviceId)
    .where('a.state', '=', 'unknown')
    .where('a.ended_at', '>=', sinceMs)
    .orderBy('a.ended_at', 'desc')
    .orderBy('a.id', 'desc')
    .limit(most)
    .execute()
  // Each part in question has a place.
  const first = new Map(rows.toReversed().map((row) => [row.attemptId, row]))
  return [...first.values()]
    .toReversed()
    .map(({ endedAt, ...row }) => ({ ...row, endedAt: endedAt as number }))
}

/**
 * Reads an attempt whose outcome is unknown, as a claim to settle. Null for an attempt in another state or of another device,
 * and where another attempt to the same number has one of `networkIds`: then they are evidence for that one.
 */
export async function readUnknownClaim(
  db: Db,
  { deviceId, attemptId, networkIds }: { deviceId: string; attemptId: string; networkIds: readonly string[] },
): Promise<Claimed | null> {
  const attempts = await db
    .selectFrom('attempts')
    .select(placedColumns)
    .where('id', '=', attemptId)
    .where('device_id', '=', deviceId)
    .where('state', '=', 'unknown')
    .execute()
  const [claimed] = await claimsOf(db, attempts)
  if (claimed === undefined) return null
  return (await isOfAnother(db, claimed, networkIds)) ? null : claimed
}

/** An ID belongs to one message: a search by number and text may have found that of another. */
async function isOfAnother(db: Db, claimed: Claimed, networkIds: readonly string[]): Promise<boolean> {
  if (networkIds.length === 0) return false
  const { to, deviceId, startedAt, attemptId } = claimed
  const places = everySpelling(to).map((recipient) => rivalInputs({ recipient, deviceId, startedAt }))
  const rivals = await readRivals(db, places)
  return rivals.some(
    (rival) =>
      rival.attempt_id !== attemptId && idsOf(rival.network_ids).some((each) => networkIds.includes(each)),
  )
}

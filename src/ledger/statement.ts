import { sql } from 'kysely'
import { dayMs } from '../runtime/clock.ts'
import { lowestIdAt } from '../runtime/ids.ts'
import type { Db } from '../storage/seam/dialect.ts'
import type { LedgerKind } from '../storage/tables/schema.ts'
import type { WalletName } from './ledger.ts'

/** One line of a statement: an entry of the ledger, or what was used on one UTC day. */
export type StatementRow = { atMs: number; sms: number; balance: number } & (
  | { kind: LedgerKind; id: string; note: string; actor: string }
  | { kind: 'usage' }
)

export interface Statement {
  /** UTC days; the last one is not part of it. */
  fromDay: number
  toDay: number
  /** What was granted and not used when it begins. */
  opening: number
  closing: number
  /** Oldest first; each with the balance after it. Days without use are left out. */
  rows: StatementRow[]
}

/**
 * What a wallet was given and has used, from `fromDay` until before `toDay`. What is reserved by messages that wait is still in the balance.
 * The use of a day stands at its end, or at `nowMs` while it lasts.
 */
export async function readStatement(
  db: Db,
  wallet: WalletName,
  { fromDay, toDay, nowMs }: { fromDay: number; toDay: number; nowMs: number },
): Promise<Statement> {
  const { accountId, mode } = wallet
  const fromId = lowestIdAt('led', fromDay * dayMs)
  const entries = db.selectFrom('ledger_entries').where('account_id', '=', accountId).where('mode', '=', mode)
  const days = db.selectFrom('usage_days').where('account_id', '=', accountId).where('mode', '=', mode)
  const [before, given, used] = await Promise.all([
    db
      .selectNoFrom([
        entries
          .select(sql<number>`cast(coalesce(sum(sms), 0) as bigint)`.as('n'))
          .where('id', '<', fromId)
          .as('granted'),
        days
          .select(sql<number>`cast(coalesce(sum(parts), 0) as bigint)`.as('n'))
          .where('day', '<', fromDay)
          .as('used'),
      ])
      .executeTakeFirstOrThrow(),
    entries
      .select(['id', 'kind', 'sms', 'note', 'actor', 'created_at'])
      .where('id', '>=', fromId)
      .where('id', '<', lowestIdAt('led', toDay * dayMs))
      .orderBy('id')
      .execute(),
    days.select(['day', 'parts']).where('day', '>=', fromDay).where('day', '<', toDay).execute(),
  ])
  const opening = (before.granted ?? 0) - (before.used ?? 0)
  const lines = [
    ...given.map(({ id, kind, sms, note, actor, created_at: atMs }) => ({
      id,
      kind,
      sms,
      note,
      actor,
      atMs,
    })),
    ...used
      .filter(({ parts }) => parts > 0)
      .map(({ day, parts }) => ({
        kind: 'usage' as const,
        sms: -parts,
        atMs: Math.min(nowMs, (day + 1) * dayMs - 1),
      })),
  ].toSorted((a, b) => a.atMs - b.atMs)
  let balance = opening
  const rows = lines.map((line) => ({ ...line, balance: (balance += line.sms) }))
  return { fromDay, toDay, opening, closing: balance, rows }
}

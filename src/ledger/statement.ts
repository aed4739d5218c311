import { sql } from 'kysely'
import { dayMs } from '../runtime/clock.ts'
import type { Db } from '../storage/seam/dialect.ts'
import type { LedgerKind } from '../storage/tables/schema.ts'
import type { WalletName } from './ledger.ts'

/** One line of a statement: a ledger entry, or the usage of one UTC day. */
export type StatementRow = { atMs: number; sms: number; balance: number } & (
  | { kind: LedgerKind; id: string; note: string; actor: string }
  | { kind: 'usage' }
)

export interface Statement {
  /** UTC days; the last one is excluded. */
  fromDay: number
  toDay: number
  /** The granted and unused SMS at its begin. */
  opening: number
  closing: number
  /** Oldest first, each with the balance after it. Days without usage are omitted. */
  rows: StatementRow[]
}

/**
 * Reads credits and usage of a wallet, from `fromDay` until before `toDay`. Parts reserved by queued messages
 * are still in the balance. The usage of a day is listed at its end, or at `nowMs` for the present day.
 */
export async function readStatement(
  db: Db,
  wallet: WalletName,
  { fromDay, toDay, nowMs }: { fromDay: number; toDay: number; nowMs: number },
): Promise<Statement> {
  const { accountId, mode } = wallet
  // By their time and not by their ID, which stays ahead after the clock was set back: a wallet has few entries.
  const fromMs = fromDay * dayMs
  const entries = db.selectFrom('ledger_entries').where('account_id', '=', accountId).where('mode', '=', mode)
  const days = db.selectFrom('usage_days').where('account_id', '=', accountId).where('mode', '=', mode)
  const [before, credits, used] = await Promise.all([
    db
      .selectNoFrom([
        entries
          .select(sql<number>`cast(coalesce(sum(sms), 0) as bigint)`.as('n'))
          .where('created_at', '<', fromMs)
          .as('granted'),
        days
          .select(sql<number>`cast(coalesce(sum(parts), 0) as bigint)`.as('n'))
          .where('day', '<', fromDay)
          .as('used'),
      ])
      .executeTakeFirstOrThrow(),
    entries
      .select(['id', 'kind', 'sms', 'note', 'actor', 'created_at'])
      .where('created_at', '>=', fromMs)
      .where('created_at', '<', toDay * dayMs)
      .orderBy('id')
      .execute(),
    days.select(['day', 'parts']).where('day', '>=', fromDay).where('day', '<', toDay).execute(),
  ])
  const opening = (before.granted ?? 0) - (before.used ?? 0)
  const lines = [
    ...credits.map(({ id, kind, sms, note, actor, created_at: atMs }) => ({
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

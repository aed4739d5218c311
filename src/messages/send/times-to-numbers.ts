import { lowestIdAt } from '../../runtime/ids.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Category, Mode } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { longestAheadMs } from '../queue/move-messages.ts'

/** Numbers of one length, from the first to the last in text order. */
export interface NumberRange {
  target: string
  first: string
  last: string
  /** Maximum times to return. */
  most: number
}

export interface AroundTime {
  accountId: string
  mode: Mode
  /** Only messages of this category; null for all. */
  category: Category | null
  /** Both exclusive. */
  afterMs: number
  beforeMs: number
}

const counts = `direction = 'outbound' and status <> 'canceled' and (:category is null or category = :category)
          and coalesce(send_at, created_at) > :after and coalesce(send_at, created_at) < :before limit :most`
const inputs = [
  'target',
  'first',
  'last',
  'account',
  'mode',
  'category',
  'since',
  'after',
  'before',
  'most',
] as const

const timesToNumber = {
  sql: `select :target as target, coalesce(send_at, created_at) as at from messages
        where recipient = :first and account_id = :account and mode = :mode and id >= :since and ${counts}`,
  inputs,
} as const

// Only the number may be a term of an index: SQLite would otherwise scan all messages of the account instead
// of those to the numbers.
const timesToRange = {
  sql: `select :target as target, coalesce(send_at, created_at) as at from messages
        where account_id || '' = :account and mode || '' = :mode and recipient >= :first and recipient <= :last and length(recipient) = length(:first)
          and id || '' >= :since and ${counts}`,
  inputs,
} as const

/**
 * Returns when an account has sent, or will send, to numbers within a span of time, by the target of each
 * range. For one number this reads at most what the account sent to it in a month; for a range it scans what
 * all accounts sent to its numbers.
 */
export async function readTimesTo(
  db: Db,
  { accountId, mode, category, afterMs, beforeMs }: AroundTime,
  ranges: readonly NumberRange[],
): Promise<Map<string, number[]>> {
  const since = lowestIdAt('msg', afterMs - longestAheadMs)
  const read = (statement: typeof timesToNumber | typeof timesToRange, of: readonly NumberRange[]) =>
    selectEach<{ target: string; at: number }>(
      db, statement, of.map(({ target, first, last, most }) => [target, first, last, accountId, mode, category, since, afterMs, beforeMs, most]),
    ) // prettier-ignore
  const isOne = ({ first, last }: NumberRange): boolean => first === last
  const found = await Promise.all([
    read(timesToNumber, ranges.filter(isOne)),
    read(
      timesToRange,
      ranges.filter((range) => !isOne(range)),
    ),
  ])
  const rows = found.flat()
  const times = new Map<string, number[]>()
  for (const [target, alike] of Map.groupBy(rows, (row) => row.target))
    times.set(
      target,
      alike.map(({ at }) => at),
    )
  return times
}

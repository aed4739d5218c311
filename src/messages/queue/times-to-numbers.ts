import { lowestIdAt } from '../../runtime/ids.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Category, Mode } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { longestAheadMs } from './move-messages.ts'

/** Numbers of one length, from the first to the last of them in the order of texts. */
export interface NumberRange {
  name: string
  first: string
  last: string
  /** So many of the times are enough. */
  most: number
}

export interface AroundTime {
  accountId: string
  mode: Mode
  /** Messages of this category alone; null: of all. */
  category: Category | null
  /** Exclusive, both. */
  afterMs: number
  beforeMs: number
}

const counts = `direction = 'outbound' and status <> 'canceled' and (:category is null or category = :category)
          and coalesce(send_at, created_at) > :after and coalesce(send_at, created_at) < :before limit :most`
const inputs = [
  'name',
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
  sql: `select :name as name, coalesce(send_at, created_at) as at from messages
        where recipient = :first and account_id = :account and mode = :mode and id >= :since and ${counts}`,
  inputs,
} as const

// Nothing but the number is a term of an index: SQLite would rather walk over all that the account has sent than over those numbers.
const timesToRange = {
  sql: `select :name as name, coalesce(send_at, created_at) as at from messages
        where account_id || '' = :account and mode || '' = :mode and recipient >= :first and recipient <= :last and length(recipient) = length(:first)
          and id || '' >= :since and ${counts}`,
  inputs,
} as const

/**
 * When an account has sent, or is to send, to numbers within a span of time: by the name of each range. Of one number that is what the account has
 * sent to it in a month, at most; of several, all that any account has sent to them is walked over.
 */
export async function readTimesTo(
  db: Db,
  { accountId, mode, category, afterMs, beforeMs }: AroundTime,
  ranges: readonly NumberRange[],
): Promise<Map<string, number[]>> {
  const since = lowestIdAt('msg', afterMs - longestAheadMs)
  const read = (statement: typeof timesToNumber | typeof timesToRange, of: readonly NumberRange[]) =>
    selectEach<{ name: string; at: number }>(
      db, statement, of.map(({ name, first, last, most }) => [name, first, last, accountId, mode, category, since, afterMs, beforeMs, most]),
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
  for (const [name, alike] of Map.groupBy(rows, (row) => row.name))
    times.set(
      name,
      alike.map(({ at }) => at),
    )
  return times
}

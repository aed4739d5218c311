import { lowestIdAt } from '../ids.ts'
import type { Db } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { selectEach } from '../storage/sets.ts'
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
  /** Exclusive, both. */
  afterMs: number
  beforeMs: number
}

// Nothing but the number is a term of an index: SQLite would rather walk over all that the account has sent than over those numbers.
const timesTo = {
  sql: `select :name as name, coalesce(send_at, created_at) as at from messages
        where account_id || '' = :account and mode || '' = :mode and recipient >= :first and recipient <= :last and length(recipient) = length(:first)
          and id || '' >= :since and direction = 'outbound' and status <> 'canceled'
          and coalesce(send_at, created_at) > :after and coalesce(send_at, created_at) < :before
        limit :most`,
  inputs: ['name', 'first', 'last', 'account', 'mode', 'since', 'after', 'before', 'most'],
} as const

/**
 * When an account has sent, or is to send, to numbers within a span of time: by the name of each range. One step down `messages_by_recipient`
 * a range, and then what the numbers were sent in a month, at most.
 */
export async function readTimesTo(
  db: Db,
  { accountId, mode, afterMs, beforeMs }: AroundTime,
  ranges: readonly NumberRange[],
): Promise<Map<string, number[]>> {
  const since = lowestIdAt('msg', afterMs - longestAheadMs)
  const rows = await selectEach<{ name: string; at: number }>(
    db,
    timesTo,
    ranges.map(({ name, first, last, most }) => [
      name,
      first,
      last,
      accountId,
      mode,
      since,
      afterMs,
      beforeMs,
      most,
    ]),
  )
  const times = new Map<string, number[]>()
  for (const [name, alike] of Map.groupBy(rows, (row) => row.name))
    times.set(
      name,
      alike.map(({ at }) => at),
    )
  return times
}

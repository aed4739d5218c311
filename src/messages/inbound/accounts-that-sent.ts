import { everySpelling } from '../../numbers/number-changes.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'

export interface SentToQuery {
  deviceId: string
  mode: Mode
  /** The number that answers, in the spelling of recipients. */
  number: string
  /** Messages sent before this instant do not count. */
  sinceMs: number
}

/**
 * Reads one step of `messages_by_recipient` per account, so that no send pays for an index or a table of its
 * own: 10,000 accounts take 13 ms of a reader. Reads the 100 newest messages of each account to the number; a
 * number that gets more than that through other devices in between has no conversation.
 */
const accountsThatSent = {
  sql: `with senders as materialized (
          select a.id as account_id, (
            select max(sent.at) from (
              select case
                when m.device_id = :device and m.status in ('sent', 'delivered', 'undelivered', 'unconfirmed')
                  then coalesce(m.sent_at, m.updated_at)
                when m.status = 'queued' then (select t.started_at from attempts t where t.account_id = m.account_id
                  and t.mode = m.mode and t.message_id = m.id and t.ended_at is null and t.device_id = :device) end as at
              from messages m where m.account_id = a.id and m.mode = :mode and m.recipient = :number
              order by m.id desc limit 100) sent) as at
          from accounts a)
        select account_id, at from senders where at >= :since order by at desc, account_id limit :most`,
  inputs: ['device', 'mode', 'number', 'since', 'most'],
} as const

/**
 * Returns the account that last sent to this number through this device, if the message arrived or may have
 * arrived; null if there is none. A message that the device refused does not count, because it cannot be
 * answered. A closed account counts, because an answer to it must not go to another account.
 */
export async function findLastAccountThatSentTo(db: Db, query: SentToQuery): Promise<string | null> {
  const [accountId] = await findAccountsThatSentTo(db, query, 1)
  return accountId ?? null
}

/** Returns all such accounts, for any spelling of the number, the last sender first. */
export async function findAccountsThatSentTo(
  db: Db | Tx,
  { deviceId, mode, number, sinceMs }: SentToQuery,
  most = Number.MAX_SAFE_INTEGER,
): Promise<string[]> {
  const inputs = everySpelling(number).map((each) => [deviceId, mode, each, sinceMs, most])
  const rows = await selectEach<{ account_id: string; at: number }>(db, accountsThatSent, inputs)
  // Each spelling's are in order.
  rows.sort((a, b) => b.at - a.at)
  return [...new Set(rows.map((row) => row.account_id))].slice(0, most)
}

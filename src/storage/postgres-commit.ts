import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { StorageError } from './dialect.ts'

/** How long the fate of a transaction is asked for whose COMMIT got no answer. Then its callers are told that nobody knows. */
const askForMs = 2_000
const askEachMs = 50
/** A connection that was idle may be as lost as the one in question: the next is soon tried. */
const answerWithinMs = 500

/**
 * What became of a transaction whose connection was lost during COMMIT: PostgreSQL remembers it by its number, over a crash too
 * (pg_xact_status). Returns when it was committed; throws `unavailable` when it was not, and `outcome_unknown` when that cannot be told in
 * time.
 */
export async function askForCommit(pool: pg.Pool, transactionId: string): Promise<void> {
  const deadlineMs = performance.now() + askForMs
  while (performance.now() < deadlineMs) {
    const status = await statusOf(pool, transactionId).catch(() => 'unknown')
    if (status === 'committed') return
    if (status === 'aborted')
      throw new StorageError('the connection was lost, and the transaction with it', 'unavailable', true)
    await wait(askEachMs)
  }
  throw new StorageError(
    'the connection was lost during COMMIT, and PostgreSQL does not say what became of it',
    'outcome_unknown',
    true,
  )
}

async function statusOf(pool: pg.Pool, transactionId: string): Promise<string> {
  const ask: pg.QueryConfig & { query_timeout: number } = {
    text: 'select pg_xact_status($1::text::xid8) as status',
    values: [transactionId],
    query_timeout: answerWithinMs,
  }
  try {
    const { rows } = await pool.query<{ status: string | null }>(ask)
    // No status: so old that it was forgotten, which a transaction of two seconds ago is not.
    return rows[0]?.status ?? 'unknown'
  } catch (error) {
    // A number that the server has not given out yet: it was lost in the crash, before anything of it was written.
    if ((error as { code?: string }).code === '22023') return 'aborted'
    throw error
  }
}

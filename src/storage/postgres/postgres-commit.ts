import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { StorageError } from '../seam/dialect.ts'

/** A transaction whose outcome may have to be queried. */
export interface OpenTransaction {
  id: string
  /** Incarnation of the server that assigned the ID: the value of `incarnationSql`. */
  incarnation: string
}

/**
 * Changes after each recovery: of a server that was restarted, one that was promoted, and one that lost a
 * single process and continued, whose start time stays while its statistics are reset. A manual reset of the
 * background writer's statistics changes it too, which only makes results more cautious.
 */
export const incarnationSql =
  "extract(epoch from pg_postmaster_start_time()) || '/' || coalesce(extract(epoch from pg_stat_get_bgwriter_stat_reset_time())::text, '')"

/**
 * Time in which the outcome of a transaction is queried whose COMMIT got no response. After that its callers
 * get an unknown outcome: within the promised 2 s, including their network time.
 */
const askForMs = 1_750
const askEachMs = 50
/** A connection that was idle may be as dead as the lost one, so the next one is tried soon. */
const answerWithinMs = 500

/**
 * Queries the outcome of a transaction whose connection was lost during COMMIT: PostgreSQL remembers it by
 * its ID (pg_xact_status). Returns if it was committed; throws `unavailable` if it was not, and
 * `outcome_unknown` if that cannot be determined in time, or at all: an ID of which nothing had reached the
 * disk is assigned again after a recovery, so `committed` may then be about another transaction.
 */
export async function askForCommit(pool: pg.Pool, transaction: OpenTransaction): Promise<void> {
  const deadlineMs = performance.now() + askForMs
  while (performance.now() < deadlineMs) {
    const leftMs = deadlineMs - performance.now()
    const fate = await Promise.race([
      fateOf(pool, transaction).catch(() => 'unknown'),
      wait(leftMs, 'unknown', { ref: false }),
    ])
    if (fate === 'committed') return
    if (fate === 'aborted')
      throw new StorageError('the connection was lost, and the transaction with it', 'unavailable', true)
    if (fate === 'unknowable') break
    await wait(askEachMs)
  }
  throw new StorageError(
    'the connection was lost during COMMIT, and PostgreSQL does not report its outcome',
    'outcome_unknown',
    true,
  )
}

type Fate = 'committed' | 'aborted' | 'unknown' | 'unknowable'

async function fateOf(pool: pg.Pool, { id, incarnation }: OpenTransaction): Promise<Fate> {
  const ask: pg.QueryConfig & { query_timeout: number } = {
    text: `select pg_xact_status($1::text::xid8) as status, ${incarnationSql} as incarnation`,
    values: [id],
    query_timeout: answerWithinMs,
  }
  try {
    const { rows } = await pool.query<{ status: string | null; incarnation: string }>(ask)
    const [row] = rows
    const isSame = row?.incarnation === incarnation
    switch (row?.status) {
      case 'committed':
        return isSame ? 'committed' : 'unknowable'
      case 'aborted':
        return 'aborted'
      case 'in progress':
        // No transaction survives a recovery: the ID belongs to another one.
        return isSame ? 'unknown' : 'aborted'
      default:
        // Without a status the transaction is too old to be remembered, which one of two seconds ago is not.
        return 'unknown'
    }
  } catch (error) {
    // The server has not assigned this ID yet: it was lost in the crash, before anything of it was written.
    if ((error as { code?: string }).code === '22023') return 'aborted'
    throw error
  }
}

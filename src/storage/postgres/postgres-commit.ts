import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { StorageError } from '../seam/dialect.ts'

/** A transaction whose fate may have to be asked for. */
export interface OpenTransaction {
  id: string
  /** Of the server that gave the number out: the value of `incarnationSql`. */
  incarnation: string
}

/**
 * Another text after each recovery: that of a server that was started anew, of one that was promoted, and of one that lost a single process
 * and went on, whose start time stays while its statistics begin anew. To reset those of the background writer by hand changes it too,
 * which only makes answers more careful.
 */
export const incarnationSql =
  "extract(epoch from pg_postmaster_start_time()) || '/' || coalesce(extract(epoch from pg_stat_get_bgwriter_stat_reset_time())::text, '')"

/**
 * How long the fate of a transaction is asked for whose COMMIT got no answer. Then its callers are told that nobody knows: within the 2 s that
 * are promised to them, their own way included.
 */
const askForMs = 1_750
const askEachMs = 50
/** A connection that was idle may be as lost as the one in question: the next is soon tried. */
const answerWithinMs = 500

/**
 * What became of a transaction whose connection was lost during COMMIT: PostgreSQL remembers it by its number (pg_xact_status). Returns when
 * it was committed; throws `unavailable` when it was not, and `outcome_unknown` when that cannot be told in time, or not at all: a number
 * of which nothing had reached the disk is given out again after a recovery, so what is committed then may be somebody else's.
 */
export async function askForCommit(pool: pg.Pool, transaction: OpenTransaction): Promise<void> {
  const deadlineMs = performance.now() + askForMs
  while (performance.now() < deadlineMs) {
    const leftMs = deadlineMs - performance.now()
    const fate = await Promise.race([
      fateOf(pool, transaction).catch(() => 'not told'),
      wait(leftMs, 'not told', { ref: false }),
    ])
    if (fate === 'committed') return
    if (fate === 'aborted')
      throw new StorageError('the connection was lost, and the transaction with it', 'unavailable', true)
    if (fate === 'cannot be told') break
    await wait(askEachMs)
  }
  throw new StorageError(
    'the connection was lost during COMMIT, and PostgreSQL does not say what became of it',
    'outcome_unknown',
    true,
  )
}

type Fate = 'committed' | 'aborted' | 'not told' | 'cannot be told'

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
        return isSame ? 'committed' : 'cannot be told'
      case 'aborted':
        return 'aborted'
      case 'in progress':
        // No transaction outlives a recovery: the number is another one's already.
        return isSame ? 'not told' : 'aborted'
      default:
        // No status: so old that it was forgotten, which a transaction of two seconds ago is not.
        return 'not told'
    }
  } catch (error) {
    // A number that the server has not given out yet: it was lost in the crash, before anything of it was written.
    if ((error as { code?: string }).code === '22023') return 'aborted'
    throw error
  }
}

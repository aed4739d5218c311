import { Kysely } from 'kysely'
import type pg from 'pg'
import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { Db } from '../seam/dialect.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { createPostgresPool, type PostgresSettings, readOnly } from './postgres-client.ts'
import { accountReader, accountSetting } from './row-security.ts'
import type { Database } from '../tables/schema.ts'

/** Maximum number of accounts whose reader is cached. */
const maxKept = 1_000

export interface AccountReads {
  of(accountId: string): Db
  pool: pg.Pool
}

/**
 * Creates the readers for single accounts, protected by row security: their sessions have a role that sees
 * only the rows of the account set in the session (row-security.ts). All accounts share the connections; the
 * account is set again when a connection is passed on.
 */
export function createAccountReads(settings: PostgresSettings): AccountReads {
  const pool = createPostgresPool(settings, settings.readers, { ...readOnly, role: accountReader })
  /** The account that each connection reads for. */
  const readsFor = new WeakMap<pg.PoolClient, string>()
  const kept = new BoundedMap<Db>(maxKept)

  const readFor = async (client: pg.PoolClient, accountId: string): Promise<void> => {
    if (readsFor.get(client) === accountId) return
    // Unknown until it is set: after an error the connection must not count as set for any account.
    readsFor.delete(client)
    await client.query({
      name: 'read-for',
      text: `select set_config('${accountSetting}', $1, false)`,
      values: [accountId],
    })
    readsFor.set(client, accountId)
  }

  return {
    pool,
    of(accountId) {
      const known = kept.get(accountId)
      if (known !== undefined) return known
      const dialect = postgresDialect(pool, null, (client) => readFor(client, accountId))
      const db: Db = new Kysely<Database>({ dialect })
      kept.set(accountId, db)
      return db
    },
  }
}

import { Kysely } from 'kysely'
import type pg from 'pg'
import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { Db } from '../seam/dialect.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { createPostgresPool, type PostgresSettings, readOnly } from './postgres-client.ts'
import { accountReader, accountSetting } from './row-security.ts'
import type { Database } from '../tables/schema.ts'

/** Accounts whose reader is kept at hand. */
const maxKept = 1_000

export interface AccountReads {
  of(accountId: string): Db
  pool: pg.Pool
}

/**
 * Reads that are made for one account, behind the second wall: sessions of a role that sees nothing but the rows of the account that the
 * session was told of (row-security.ts). All accounts share the connections; one is told anew when it changes hands.
 */
export function createAccountReads(settings: PostgresSettings): AccountReads {
  const pool = createPostgresPool(settings, settings.readers, { ...readOnly, role: accountReader })
  /** Of each connection, for whom it reads. */
  const readsFor = new WeakMap<pg.PoolClient, string>()
  const kept = new BoundedMap<Db>(maxKept)

  const readFor = async (client: pg.PoolClient, accountId: string): Promise<void> => {
    if (readsFor.get(client) === accountId) return
    // Unknown until it is said: after an error nobody may take it for somebody's.
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

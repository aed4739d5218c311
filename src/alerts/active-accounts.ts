import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Db } from '../storage/seam/dialect.ts'
import type { EndedAlert } from './condition.ts'
import { idsAmong, subjectsOf } from './resolved-subjects.ts'

/** Returns the alerts whose account is active now. */
export async function activeAmong(db: Db, ended: readonly EndedAlert[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('state', '=', 'active')
    .where('id', 'in', subjectsOf(ended))
    .execute()
  return idsAmong(ended, rows)
}

/** Matches rows whose account is not closed: what belonged to a closed account concerns no one. */
export const isOfOpenAccount = (accountId: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`not exists (select 1 from accounts a where a.id = ${sql.ref(accountId)} and a.state = 'closed')`

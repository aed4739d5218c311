import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Db } from '../storage/seam/dialect.ts'
import type { EndedAlert } from './condition.ts'
import { idsAmong, subjectsOf } from './resolved-subjects.ts'

/** The alerts about accounts that are active now. */
export async function activeAmong(db: Db, ended: readonly EndedAlert[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('state', '=', 'active')
    .where('id', 'in', subjectsOf(ended))
    .execute()
  return idsAmong(ended, rows)
}

/** Whether an account is still there for whom something is: what belonged to a closed one is nobody's trouble. */
export const isOfOpenAccount = (accountId: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`not exists (select 1 from accounts a where a.id = ${sql.ref(accountId)} and a.state = 'closed')`

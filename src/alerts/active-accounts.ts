import type { Db } from '../storage/dialect.ts'
import type { EndedAlert } from './condition.ts'
import { idsAmong, subjectsOf } from './ended-subjects.ts'

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

import { minuteMs } from '../runtime/clock.ts'
import { isOfOpenAccount } from './active-accounts.ts'
import type { AlertRule } from './condition.ts'
import { idsAmong, subjectsOf } from './resolved-subjects.ts'

/** One is lost now and then, in any network. */
const lostInRow = 2

/** Canaries of which two in a row have not arrived; until one does. */
export const lostCanaries: AlertRule = {
  kinds: ['canary_lost'],
  everyMs: minuteMs / 2,
  async find(db) {
    const rows = await db
      .selectFrom('canaries as c')
      .innerJoin('devices as f', 'f.id', 'c.from_device')
      .innerJoin('devices as t', 't.id', 'c.to_device')
      .select([
        'c.id',
        'c.account_id',
        'c.lost_in_row',
        'f.id as from_id',
        'f.name as from_name',
        'f.mode',
        't.id as to_id',
      ])
      .where('c.lost_in_row', '>=', lostInRow)
      .where(isOfOpenAccount('c.account_id'))
      .execute()
    return rows.map((row) => ({
      kind: 'canary_lost',
      subject: row.id,
      accountId: row.account_id,
      mode: row.mode,
      name: row.from_name,
      said: `The last ${row.lost_in_row} canary messages from this device (${row.from_id}) to ${row.to_id} did not arrive (${row.id}). Messages over it may be lost, or the receiving device receives nothing.`,
    }))
  },
  async findRecovered(db, ended) {
    const rows = await db
      .selectFrom('canaries')
      .select('id')
      .where('lost_in_row', '=', 0)
      .where('id', 'in', subjectsOf(ended))
      .execute()
    return idsAmong(ended, rows)
  },
}

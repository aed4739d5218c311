import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../runtime/clock.ts'
import type { Database } from '../../storage/tables/schema.ts'
import { oneOf } from '../../runtime/schemas.ts'
import { modes } from '../../storage/tables/column-values.ts'

export const EntrySchema = Type.Object({
  object: oneOf(['ledger_entry'], 'Type of the object.'),
  id: Type.String({ description: 'ID of the entry. IDs sort by time.' }),
  account_id: Type.String({ description: 'Account of the ledger.' }),
  mode: oneOf(modes, 'Mode of the wallet.'),
  kind: Type.String({
    description: '`grant`, `top_up`, `correction`, or `refill` of test credits; an open list.',
  }),
  sms: Type.Integer({ description: 'Change of the balance in SMS.' }),
  note: Type.String({ description: 'Reason.' }),
  actor: Type.String({
    description: 'Author: an API token of the operator (`otk_…`), a user (`usr_…`), or a tool.',
  }),
  created_at: Type.String({ format: 'date-time', description: 'Time of the entry.' }),
})

type EntryView = Static<typeof EntrySchema>

export const viewEntry = (row: Selectable<Database['ledger_entries']>): EntryView => ({
  object: 'ledger_entry',
  id: row.id,
  account_id: row.account_id,
  mode: row.mode,
  kind: row.kind,
  sms: row.sms,
  note: row.note,
  actor: row.actor,
  created_at: rfc3339(row.created_at),
})

/** Example for the reference. */
export const entryExample: EntryView = {
  object: 'ledger_entry', id: 'led_01k9ktqv1gfx8r4z6m2d7cwn5e', account_id: 'acc_01k9ktn8q4e8bvzr5y1w3xh7dg', mode: 'live', kind: 'top_up', sms: 500,
  note: 'Invoice 2026-118', actor: 'otk_01k9ktn8q4e8bvzr5y1w3xh7dg', created_at: '2026-11-21T09:30:00.000Z',
} // prettier-ignore

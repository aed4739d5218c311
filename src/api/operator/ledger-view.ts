import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../runtime/clock.ts'
import type { Database } from '../../storage/tables/schema.ts'
import { oneOf } from '../../runtime/schemas.ts'
import { modes } from '../../storage/tables/column-values.ts'

export const EntrySchema = Type.Object({
  object: oneOf(['ledger_entry'], 'What this object is.'),
  id: Type.String({ description: 'The entry; later ones sort after earlier ones.' }),
  account_id: Type.String({ description: 'Whose ledger.' }),
  mode: oneOf(modes, 'Which wallet.'),
  kind: Type.String({
    description: '`grant`, `top_up`, `correction`, or `refill` of play SMS; an open list.',
  }),
  sms: Type.Integer({ description: 'By how many SMS the balance moved.' }),
  note: Type.String({ description: 'Why.' }),
  actor: Type.String({
    description: 'Who did it: a token of the operator (`otk_…`), a user (`usr_…`), or a tool.',
  }),
  created_at: Type.String({ format: 'date-time', description: 'When.' }),
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

/** The example of the reference. */
export const entryExample: EntryView = {
  object: 'ledger_entry', id: 'led_01k9ktqv1gfx8r4z6m2d7cwn5e', account_id: 'acc_01k9ktn8q4e8bvzr5y1w3xh7dg', mode: 'live', kind: 'top_up', sms: 500,
  note: 'Invoice 2026-118', actor: 'otk_01k9ktn8q4e8bvzr5y1w3xh7dg', created_at: '2026-11-21T09:30:00.000Z',
} // prettier-ignore

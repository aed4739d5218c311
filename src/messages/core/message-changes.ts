import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { insertRows } from '../../storage/seam/sets.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { type Change, keepNumber } from './change-number.ts'

/** A message as its unit leaves it. `sequence` counts the changes of a message, from 1. */
interface Changed {
  account_id: string
  mode: Mode
  id: string
  sequence?: number
}

/** Messages in a row: a batch of one account takes a few rows, and a reader never reads much more than it needs. */
const maxInRow = 100

/**
 * Records which messages a unit changed, for `updated_after` and the console: one row for each account and
 * mode, however many messages there are. The first record of a unit in a lane takes its number there. Rows are never changed; retention
 * removes them.
 */
export async function recordChanges(tx: Tx, change: Change, changed: readonly Changed[]): Promise<void> {
  const owners = Map.groupBy(changed, ({ account_id, mode }) => `${account_id}/${mode}`)
  const rows = [...owners.values()].flatMap((all) => {
    const { account_id, mode } = all[0] as Changed
    const { number } = change
    return inRows(all.toSorted((a, b) => (a.id < b.id ? -1 : 1))).map((some) => ({
      account_id,
      mode,
      number,
      part: change.rows++,
      messages: some.map(entryOf).join(' '),
    }))
  })
  await allDone([
    keepNumber(
      tx,
      change,
      rows.map(({ account_id }) => account_id),
    ),
    insertRows(tx, 'message_changes', rows),
  ])
}

const inRows = (changed: readonly Changed[]): Changed[][] =>
  Array.from({ length: Math.ceil(changed.length / maxInRow) }, (_, i) =>
    changed.slice(i * maxInRow, (i + 1) * maxInRow),
  )

const prefix = 'msg_'

/** The ID without its prefix, and the sequence unless it is 1: half of all rows are of new messages. */
const entryOf = ({ id, sequence = 1 }: Changed): string =>
  sequence === 1 ? id.slice(prefix.length) : `${id.slice(prefix.length)}:${sequence}`

/**
 * Reads the changes of an account and mode after a place, in their order, for a statement with these inputs: where each is
 * (`place` is its index in the row), and the message with the sequence that it then had. SQLite lists them as they are.
 */
export const entriesAfter = `select c.number, c.part, w.key as place, '${prefix}' || substr(w.value, 1, 26) as id,
    cast(coalesce(nullif(substr(w.value, 28), ''), '1') as bigint) as recorded
  from message_changes c
  --sqlite: cross join json_each('["' || replace(c.messages, ' ', '","') || '"]') w
  --postgres: cross join lateral (select value, ordinality - 1 as key from unnest(string_to_array(c.messages, ' ')) with ordinality as words (value)) w
  where c.account_id = :account and c.mode = :mode and (c.number, c.part) >= (:number, :part)
    and (c.number > :number or c.part > :part or w.key > :place)
  order by c.number, c.part
  --postgres: , w.key
  `

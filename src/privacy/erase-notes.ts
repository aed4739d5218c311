import type { Tx } from '../storage/seam/dialect.ts'
import { updateRows } from '../storage/seam/sets.ts'

/** Small pieces, so that sending never waits long for one. */
const pageSize = 500
const erasedNote = 'Erased'

/**
 * Takes the notes and request keys out of the ledger of an account that is being erased; kinds, amounts, times and sums stay (P4). Gives how many entries
 * of one page; 0 at the end.
 */
export async function eraseNotes(tx: Tx, _: unknown, { accountId }: { accountId: string }): Promise<number> {
  const rows = await tx
    .selectFrom('ledger_entries')
    .select(['account_id', 'mode', 'id'])
    .where('account_id', '=', accountId)
    .where(({ eb, or }) => or([eb('note', '!=', erasedNote), eb('request_key', 'is not', null)]))
    .limit(pageSize)
    .execute()
  const blank = rows.map((row) => ({ ...row, note: erasedNote, request_key: null }))
  return updateRows(tx, 'ledger_entries', ['account_id', 'mode', 'id'], blank)
}

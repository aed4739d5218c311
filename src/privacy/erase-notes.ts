import type { Tx } from '../storage/seam/dialect.ts'
import { updateRows } from '../storage/seam/sets.ts'

/** Small pages, so that sends never wait long for one. */
const pageSize = 500
const erasedNote = 'Erased'

/**
 * Erases the notes and request keys in a page of the ledger of an account that is being erased; kinds,
 * amounts, times and sums stay (P4). Returns the number of entries; 0 at the end.
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

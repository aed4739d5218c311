import { Type } from 'typebox'
import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { QueryReader, word } from '../edge/query.ts'
import { oneOf } from '../../runtime/schemas.ts'
import { modes } from '../../storage/tables/column-values.ts'
import { entryExample, EntrySchema, viewEntry } from './ledger-view.ts'
import { documentedPage, pageParameters, readPage, viewPage } from './listed-page.ts'
import type { OperatorOperation } from './operation.ts'

export const listLedgerOperation: OperatorOperation = {
  id: 'listLedgerEntries',
  method: 'GET',
  path: '/operator/v1/accounts/:account/ledger',
  scope: 'read',
  summary: 'List ledger entries',
  description: 'Returns the ledger entries of an account in pages, newest first. Charges are in the usage.',
  query: Type.Object({
    mode: Type.Optional({ ...oneOf(modes, 'Mode of the wallet.'), default: 'live' }),
    ...pageParameters('Entries', 'led'),
  }),
  answers: { 200: documentedPage('entries', EntrySchema, entryExample) },
  problems: ['invalid_query', 'not_found'],
  async handle({ read }, { accountId, rawQuery }) {
    const query = new QueryReader(rawQuery, ['mode', 'limit', 'cursor'])
    const mode = query.one('mode', word(modes)) ?? 'live'
    const { limit, afterId } = readPage(query, 'led')
    query.end()
    await requireAccount(read, accountId)
    let entries = read
      .selectFrom('ledger_entries')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('mode', '=', mode)
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (afterId !== null) entries = entries.where('id', '<', afterId)
    const found = await entries.execute()
    const data = found.slice(0, limit).map(viewEntry)
    const next = found.length > limit ? (data.at(-1)?.id ?? null) : null
    return { status: 200, body: viewPage(data, next) }
  },
}

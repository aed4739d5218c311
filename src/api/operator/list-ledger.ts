import { Type } from 'typebox'
import { requireAccount } from '../../accounts/list-accounts.ts'
import { isId } from '../../ids.ts'
import { QueryReader, textThat, wholeNumber, word } from '../query.ts'
import { modes, oneOf, orNull } from '../v1/message-view.ts'
import { entryExample, EntrySchema, viewEntry } from './ledger-view.ts'
import type { OperatorOperation } from './operation.ts'

const mostListed = 100

export const listLedgerOperation: OperatorOperation = {
  id: 'listLedgerEntries',
  method: 'GET',
  path: '/operator/v1/accounts/:account/ledger',
  scope: 'read',
  summary: 'What an account was granted',
  description: 'The entries of its ledger, newest first, in pages. What was used stands in the usage.',
  query: Type.Object({
    mode: Type.Optional({ ...oneOf(modes, 'Which wallet.'), default: 'live' }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostListed, default: 25, description: 'Entries a page.' })),
    cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  }),
  answers: {
    200: {
      description: 'One page.',
      schema: Type.Object({
        object: oneOf(['list'], 'What this object is.'),
        data: Type.Array(EntrySchema, { description: 'The entries of this page.' }),
        has_more: Type.Boolean({ description: 'Whether a next page exists.' }),
        next_cursor: orNull<string>('string', 'What to send as `cursor` for the next page; null on the last one.'),
      }),
      example: { object: 'list', data: [entryExample], has_more: false, next_cursor: null },
    },
  },
  problems: ['invalid_query', 'not_found'],
  async handle({ read }, { accountId, rawQuery }) {
    const query = new QueryReader(rawQuery, ['mode', 'limit', 'cursor'])
    const mode = query.one('mode', word(modes)) ?? 'live'
    const limit = query.one('limit', wholeNumber(1, mostListed)) ?? 25
    const cursor = query.one('cursor', textThat((text) => isId('led', text), 'Use `next_cursor` exactly as it was given.'))
    query.end()
    await requireAccount(read, accountId)
    let entries = read
      .selectFrom('ledger_entries')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('mode', '=', mode)
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (cursor !== null) entries = entries.where('id', '<', cursor)
    const found = await entries.execute()
    const data = found.slice(0, limit).map(viewEntry)
    const next = found.length > limit ? (data.at(-1)?.id ?? null) : null
    return { status: 200, body: { object: 'list', data, has_more: next !== null, next_cursor: next } }
  },
} // prettier-ignore

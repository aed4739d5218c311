import { Type } from 'typebox'
import { listAccounts } from '../../accounts/list-accounts.ts'
import { isId } from '../../ids.ts'
import { QueryReader, textThat, wholeNumber } from '../query.ts'
import { orNull, oneOf } from '../v1/message-view.ts'
import { accountExample, AccountSchema, viewAccounts } from './account-view.ts'
import type { OperatorOperation } from './operation.ts'

const mostListed = 100

export const listAccountsOperation: OperatorOperation = {
  id: 'listAccounts',
  method: 'GET',
  path: '/operator/v1/accounts',
  scope: 'read',
  summary: 'All accounts, oldest first',
  description:
    'In pages, found by key: while accounts are opened nothing is shown twice and nothing is left out.',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: mostListed, default: 25, description: 'Accounts a page.' }),
    ),
    cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  }),
  answers: {
    200: {
      description: 'One page.',
      schema: Type.Object({
        object: oneOf(['list'], 'What this object is.'),
        data: Type.Array(AccountSchema, { description: 'The accounts of this page.' }),
        has_more: Type.Boolean({ description: 'Whether a next page exists.' }),
        next_cursor: orNull<string>('string', 'What to send as `cursor` for the next page; null on the last one.'),
      }),
      example: { object: 'list', data: [accountExample], has_more: false, next_cursor: null },
    },
  },
  problems: ['invalid_query'],
  async handle({ read }, { rawQuery }) {
    const query = new QueryReader(rawQuery, ['limit', 'cursor'])
    const limit = query.one('limit', wholeNumber(1, mostListed)) ?? 25
    const cursor = query.one('cursor', textThat((text) => isId('acc', text), 'Use `next_cursor` exactly as it was given.'))
    query.end()
    const { accounts, nextAfterId } = await listAccounts(read, { afterId: cursor, limit })
    const data = await viewAccounts(read, accounts)
    return { status: 200, body: { object: 'list', data, has_more: nextAfterId !== null, next_cursor: nextAfterId } }
  },
} // prettier-ignore

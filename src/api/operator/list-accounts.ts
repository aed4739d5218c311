import { Type } from 'typebox'
import { listAccounts } from '../../accounts/core/list-accounts.ts'
import { QueryReader } from '../edge/query.ts'
import { accountExample, AccountSchema, viewAccounts } from './account-view.ts'
import { documentedPage, pageParameters, readPage, viewPage } from './listed-page.ts'
import type { OperatorOperation } from './operation.ts'

export const listAccountsOperation: OperatorOperation = {
  id: 'listAccounts',
  method: 'GET',
  path: '/operator/v1/accounts',
  scope: 'read',
  summary: 'List accounts',
  description:
    'Returns all accounts in pages, oldest first. Paging is stable: while accounts are created, none is repeated and none is missed.',
  query: Type.Object(pageParameters('Accounts', 'acc')),
  answers: { 200: documentedPage('accounts', AccountSchema, accountExample) },
  problems: ['invalid_query'],
  async handle({ read }, { rawQuery }) {
    const query = new QueryReader(rawQuery, ['limit', 'cursor'])
    const page = readPage(query, 'acc')
    query.end()
    const { accounts, nextAfterId } = await listAccounts(read, page)
    const data = await viewAccounts(read, accounts)
    return { status: 200, body: viewPage(data, nextAfterId) }
  },
}

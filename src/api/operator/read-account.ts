import { Type } from 'typebox'
import { readListedAccount } from '../../accounts/core/list-accounts.ts'
import { accountExample, AccountSchema, viewAccounts } from './account-view.ts'
import type { OperatorOperation } from './operation.ts'

export const readAccountOperation: OperatorOperation = {
  id: 'getAccount',
  method: 'GET',
  path: '/operator/v1/accounts/:account',
  scope: 'read',
  summary: 'Get an account',
  description: 'Reads the rows that an accepted send updates, so the balances are never stale.',
  query: Type.Object({}),
  answers: { 200: { description: 'The account.', schema: AccountSchema, example: accountExample } },
  problems: ['invalid_query', 'not_found'],
  async handle({ read }, { accountId }) {
    const [body] = await viewAccounts(read, [await readListedAccount(read, accountId)])
    return { status: 200, body: body as object }
  },
}

import { Type } from 'typebox'
import { readListedAccount } from '../../accounts/core/list-accounts.ts'
import { changeAccountState } from './change-account-state.ts'
import { readBody } from '../edge/read-body.ts'
import { echoedTextFault } from '../../runtime/field-faults.ts'
import { oneOf } from '../../runtime/schemas.ts'
import { accountExample, AccountSchema, viewAccounts } from './account-view.ts'
import type { OperatorOperation } from './operation.ts'

const StateBodySchema = Type.Object(
  {
    state: oneOf(
      ['active', 'suspended', 'closed'],
      '`suspended`: sends are rejected (403), reads work, queued messages stay queued. `active` ends the suspension. `closed` is permanent: keys are rejected, scheduled and queued messages are canceled and their SMS released.',
    ),
  },
  { additionalProperties: false, description: 'New state of the account.' },
)

export const changeStateOperation: OperatorOperation = {
  id: 'changeAccountState',
  method: 'POST',
  path: '/operator/v1/accounts/:account/state',
  scope: 'write',
  summary: 'Suspend, reactivate or close an account',
  description:
    'Setting the current state again changes nothing: the request can be repeated. A closed account cannot be reopened (422).',
  body: {
    schema: StateBodySchema,
    examples: { suspend: { summary: 'An invoice was not paid', value: { state: 'suspended' } } },
  },
  answers: {
    200: {
      description: 'The account with its new state.',
      schema: AccountSchema,
      example: { ...accountExample, state: 'suspended' },
    },
  },
  problems: [
    'invalid_query', 'not_found', 'payload_too_large', 'unsupported_media_type', 'validation_failed', 'storage_full', 'outcome_unknown',
  ],
  async handle(deps, { caller, accountId, body }) {
    const { state } = readBody(StateBodySchema, body, { textFault: echoedTextFault })
    await readListedAccount(deps.read, accountId)
    await changeAccountState(deps, { accountId, state, actor: caller.tokenId })
    const [account] = await viewAccounts(deps.read, [await readListedAccount(deps.read, accountId)])
    return { status: 200, body: account as object }
  },
} // prettier-ignore

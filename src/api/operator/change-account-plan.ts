import { Type } from 'typebox'
import { setAccountPlan } from '../../accounts/core/account-plan.ts'
import { readListedAccount } from '../../accounts/core/list-accounts.ts'
import { echoedTextFault } from '../../runtime/field-faults.ts'
import { orNull } from '../../runtime/schemas.ts'
import { accountPlanPattern } from '../../storage/tables/column-values.ts'
import { readBody } from '../edge/read-body.ts'
import { accountExample, AccountSchema, viewAccounts } from './account-view.ts'
import type { OperatorOperation } from './operation.ts'

const PlanBodySchema = Type.Object(
  {
    plan: orNull<string>(
      'string',
      'Up to 32 lower-case letters, digits, `-` and `_`, such as `pro`, but not `none`; null: no plan.',
      { pattern: accountPlanPattern },
    ),
  },
  { additionalProperties: false, description: 'New plan of the account.' },
)

export const changePlanOperation: OperatorOperation = {
  id: 'changeAccountPlan',
  method: 'POST',
  path: '/operator/v1/accounts/:account/plan',
  scope: 'write',
  summary: 'Set the plan of an account',
  description:
    'Rules of routes match messages by the plan of their account; it has no other effect, and none on messages that wait. Setting the current plan again changes nothing: the request can be repeated.',
  body: {
    schema: PlanBodySchema,
    examples: { pro: { summary: 'A customer has bought more', value: { plan: 'pro' } } },
  },
  answers: {
    200: {
      description: 'The account with its new plan.',
      schema: AccountSchema,
      example: { ...accountExample, plan: 'pro' },
    },
  },
  problems: [
    'invalid_query', 'not_found', 'payload_too_large', 'unsupported_media_type', 'validation_failed', 'storage_full', 'outcome_unknown',
  ],
  async handle({ read, writer, ids, clock }, { caller, accountId, body }) {
    const { plan } = readBody(PlanBodySchema, body, { textFault: echoedTextFault })
    await readListedAccount(read, accountId)
    await writer.write((tx) =>
      setAccountPlan(tx, { ids, nowMs: clock.now() }, { accountId, plan, actor: caller.tokenId }),
    )
    const [account] = await viewAccounts(read, [await readListedAccount(read, accountId)])
    return { status: 200, body: account as object }
  },
} // prettier-ignore

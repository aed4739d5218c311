import { FaultSchema, ProblemSchema } from '../reference/openapi-components.ts'
import { openApiDocument } from '../reference/openapi-document.ts'
import { AccountSchema } from './account-view.ts'
import { EntrySchema } from './ledger-view.ts'
import { operatorOperations } from './operations.ts'
import { ownCommandOverNetwork } from '../../process/own-command.ts'

const description =
  (): string => `For clients of the operator, such as a billing system: create accounts, grant SMS, read usage. Send an API token as
\`Authorization: Bearer <OPERATOR_TOKEN>\`; create one with \`${ownCommandOverNetwork()} operator token create\` or in the console. It has access to all accounts. API keys of
accounts do not work here, and API tokens do not work at \`/api/v1\`.

Requests that create an account or grant SMS need an \`Idempotency-Key\`: if a response was lost, the request can be repeated safely.

Names are snake_case. Members are always present, \`null\` when unknown. Times are RFC 3339 in UTC with three fraction digits; days are UTC days. IDs are opaque. Errors are
problem documents (RFC 9457): branch on \`code\`. Unknown fields and parameters are rejected.`

/**
 * Renders the reference of the operator API as OpenAPI. Served at /operator/openapi.json and committed as
 * docs/operator-openapi.json.
 */
export function renderOperatorOpenApi(publicUrl: string): string {
  const document = openApiDocument(
    {
      title: 'onesixty for operators',
      summary: 'Create accounts, grant SMS and read usage.',
      description: description(),
      tag: { name: 'Accounts', description: 'All accounts of the instance.' },
      security: {
        name: 'operatorToken',
        bearerFormat: 'onesixty_operator_…',
        description:
          'An API token of the operator, only in the header `Authorization: Bearer <OPERATOR_TOKEN>`.',
      },
      operations: operatorOperations,
      schemas: {
        Account: AccountSchema,
        LedgerEntry: EntrySchema,
        Problem: ProblemSchema,
        Fault: FaultSchema,
      },
    },
    publicUrl,
  )
  return `${JSON.stringify(document, null, 2)}\n`
}

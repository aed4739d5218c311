import { FaultSchema, ProblemSchema } from '../openapi-components.ts'
import { openApiDocument } from '../openapi-document.ts'
import { AccountSchema } from './account-view.ts'
import { EntrySchema } from './ledger-view.ts'
import { operatorOperations } from './operations.ts'

const description = `For programs of the operator, such as a billing system: open accounts, grant SMS, read what was used. Send a token as
\`Authorization: Bearer <OPERATOR_TOKEN>\`; the operator makes one with \`onesixty operator token create\` or in the console. It sees all accounts. No API key of an
account works here, and no such token at \`/api/v1\`.

What opens an account or grants SMS takes an \`Idempotency-Key\`, so that a request whose answer was lost is repeated without harm.

Names are snake_case. Members are always present, \`null\` when unknown. Times are RFC 3339 in UTC with three fraction digits; days are UTC days. Ids are opaque. Refusals are
problem documents (RFC 9457): branch on \`code\`. An unknown field or parameter is refused.`

/** The reference of the operator's interface for machines. Served at /operator/openapi.json and committed as docs/operator-openapi.json. */
export function renderOperatorOpenApi(publicUrl: string): string {
  const document = openApiDocument(
    {
      title: 'onesixty for operators',
      summary: 'Open accounts, grant SMS and read what was used.',
      description,
      tag: { name: 'Accounts', description: 'All accounts of the instance.' },
      security: {
        name: 'operatorToken',
        bearerFormat: 'onesixty_operator_…',
        description:
          'A token of the operator, in the header `Authorization: Bearer <OPERATOR_TOKEN>` and nowhere else.',
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

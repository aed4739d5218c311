import { Type } from 'typebox'
import { readAccount } from '../../accounts/core/accounts.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { grantSms } from '../../ledger/grants.ts'
import { readBody } from '../edge/read-body.ts'
import { echoedTextFault } from '../../runtime/field-faults.ts'
import { oneOf } from '../../runtime/schemas.ts'
import { modes } from '../../storage/tables/column-values.ts'
import { entryExample, EntrySchema, viewEntry } from './ledger-view.ts'
import { IdempotencyHeader, type OperatorOperation, replayedHeader } from './operation.ts'
import { requiredKey } from './required-key.ts'

const GrantBodySchema = Type.Object(
  {
    sms: Type.Integer({
      minimum: -1_000_000_000,
      maximum: 1_000_000_000,
      description:
        'Number of SMS, not 0. Negative only with the kind `correction`, at most the SMS that are neither used nor reserved.',
    }),
    note: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Reason, stored in the ledger and shown in the statement of the account.',
    }),
    kind: Type.Optional({
      ...oneOf(['grant', 'top_up', 'correction'], 'Kind of the ledger entry.'),
      default: 'top_up',
    }),
    mode: Type.Optional({ ...oneOf(modes, 'Mode of the wallet.'), default: 'live' }),
  },
  { additionalProperties: false, description: 'The grant.' },
)

export const grantSmsOperation: OperatorOperation = {
  id: 'grantSms',
  method: 'POST',
  path: '/operator/v1/accounts/:account/grants',
  scope: 'write',
  summary: 'Grant SMS to an account',
  description: `Adds one ledger entry and changes the balance by its amount, in one transaction. An \`Idempotency-Key\` is required: if the response was lost, repeat the
same request; it grants only once. Keys are per account, and kept as long as the account.`,
  headers: IdempotencyHeader,
  body: {
    schema: GrantBodySchema,
    examples: {
      paid: { summary: 'An invoice was paid', value: { sms: 500, note: 'Invoice 2026-118' } },
      back: { summary: 'Too many SMS were granted', value: { sms: -50, kind: 'correction', note: 'Invoice 2026-118 was for 450' } },
    },
  },
  answers: {
    201: { description: 'The ledger entry.', schema: EntrySchema, example: entryExample, headers: replayedHeader },
  },
  problems: [
    'invalid_query', 'invalid_header', 'not_found', 'payload_too_large', 'unsupported_media_type', 'validation_failed', 'idempotency_key_reused',
    'storage_full', 'outcome_unknown',
  ],
  async handle({ writer, ids, clock }, { caller, accountId, body, headers }) {
    const { key: requestKey } = requiredKey(headers, body as object)
    const { sms, note, kind = 'top_up', mode = 'live' } = readBody(GrantBodySchema, body, { textFault: echoedTextFault })
    const { entry, isReplay } = await writer.write(async (tx) => {
      const account = await readAccount(tx, accountId)
      const grant = { accountId, mode, sms, kind, note, requestKey, actor: caller.tokenId }
      const done = await grantSms(tx, { ids, nowMs: clock.now() }, grant)
      // A grant from before the closing can always be replayed; anything else is rolled back with this transaction.
      if (account.state === 'closed' && sms > 0 && !done.isReplay)
        throw invalidInput([{ code: 'out_of_range', detail: `Account ${accountId} is closed and cannot use them.` }])
      const stored = await tx
        .selectFrom('ledger_entries')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('mode', '=', mode)
        .where('id', '=', done.entryId)
        .executeTakeFirstOrThrow()
      return { entry: viewEntry(stored), isReplay: done.isReplay }
    })
    return { status: 201, body: entry, ...(isReplay && { headers: { 'idempotent-replayed': 'true' } }) }
  },
} // prettier-ignore

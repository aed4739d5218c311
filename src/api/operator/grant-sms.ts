import { Type } from 'typebox'
import { readAccount } from '../../accounts/core/accounts.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { grantSms } from '../../ledger/grants.ts'
import { readObject } from '../read-object.ts'
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
        'How many SMS, not 0; below 0 only with the kind `correction`, and never more than are neither used nor reserved.',
    }),
    note: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Why; it stays in the ledger, and the account reads it in its statement.',
    }),
    kind: Type.Optional({
      ...oneOf(['grant', 'top_up', 'correction'], 'What it is in the ledger.'),
      default: 'top_up',
    }),
    mode: Type.Optional({ ...oneOf(modes, 'Which wallet.'), default: 'live' }),
  },
  { additionalProperties: false, description: 'What to grant.' },
)

export const grantSmsOperation: OperatorOperation = {
  id: 'grantSms',
  method: 'POST',
  path: '/operator/v1/accounts/:account/grants',
  scope: 'write',
  summary: 'Grant SMS to an account, once',
  description: `Writes one entry into the ledger and moves the balance by as much, in one transaction. An \`Idempotency-Key\` is required: a request whose answer was lost
is repeated as it was, and grants once. The key is of the account; its entry is kept as long as the account.`,
  headers: IdempotencyHeader,
  body: {
    schema: GrantBodySchema,
    examples: {
      paid: { summary: 'An invoice was paid', value: { sms: 500, note: 'Invoice 2026-118' } },
      back: { summary: 'Some were granted too much', value: { sms: -50, kind: 'correction', note: 'Invoice 2026-118 was for 450' } },
    },
  },
  answers: {
    201: { description: 'The entry of the ledger.', schema: EntrySchema, example: entryExample, headers: replayedHeader },
  },
  problems: [
    'invalid_query', 'invalid_header', 'not_found', 'payload_too_large', 'unsupported_media_type', 'validation_failed', 'idempotency_key_reused',
    'storage_full', 'outcome_unknown',
  ],
  async handle({ writer, ids, clock }, { caller, accountId, body, headers }) {
    const { key: requestKey } = requiredKey(headers, body as object)
    const { sms, note, kind = 'top_up', mode = 'live' } = readObject(GrantBodySchema, body)
    const { entry, isReplay } = await writer.write(async (tx) => {
      const account = await readAccount(tx, accountId)
      const grant = { accountId, mode, sms, kind, note, requestKey, actor: caller.tokenId }
      const done = await grantSms(tx, { ids, nowMs: clock.now() }, grant)
      // What was granted before it was closed has its answer for ever; anything else is undone with this transaction.
      if (account.state === 'closed' && sms > 0 && !done.isReplay)
        throw invalidInput([{ code: 'out_of_range', detail: `Account ${accountId} is closed: nobody could use them.` }])
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

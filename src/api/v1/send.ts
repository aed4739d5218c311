import { Type } from 'typebox'
import { SendBodySchema } from '../../sending/send-body.ts'
import type { Sender } from '../../sending/sender.ts'
import type { Answer } from '../edge/operation.ts'
import { idempotencyKeyForm, readIdempotency } from '../edge/idempotency-key.ts'
import type { ApiCall, ApiOperation } from './operation.ts'
import { renderReplay, SendSchema, writeSendAnswer } from './send-answer.ts'
import { sendBodyExamples, sendExample } from './send-examples.ts'

export interface SendOperationDeps {
  sender: Sender
}

export const sendOperation: ApiOperation<SendOperationDeps> = {
  id: 'sendMessages',
  method: 'POST',
  path: '/api/v1/send',
  scope: 'messages:send',
  kind: 'send',
  summary: 'Send an SMS',
  description: `Sends one text to 1 to 100 numbers, all or nothing: all recipients are checked first, then the send, its messages and the hold
on the balance are stored in one transaction. **202 means flushed to disk**: the messages survive a crash, and are sent as soon as a device is available.

One part costs one SMS: up to 160 characters of the GSM alphabet or 70 of any other, 153 or 67 per part when the text needs several. \`content\` and \`warnings\`
report how many parts the text needs and why; \`dry_run\` reports it without sending.

Requests with an \`Idempotency-Key\` can be repeated safely: the same key and body return the first response again and send nothing twice. With a test key no
message leaves the service: it goes to the simulator, and each number from +15005550001 to +15005550011 has a simulated outcome.`,
  body: { schema: SendBodySchema, examples: sendBodyExamples },
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        ...idempotencyKeyForm,
        description: 'Identifies this send, by default for 7 days, and at least until its messages are final: 1 to 255 visible ASCII characters, bare or quoted. Ignored with `dry_run`.',
      }),
    ),
  }),
  answers: {
    202: {
      description: 'Accepted and flushed to disk. Every message is `queued`, or `scheduled` when `send_at` is in the future.',
      schema: SendSchema,
      example: sendExample,
      headers: {
        'Idempotent-Replayed': { description: '`true` when this response repeats the one to an earlier request.', schema: Type.Unsafe({ type: 'string', enum: ['true'] }) },
      },
    },
    200: {
      description: 'A dry run: what the response would be. Nothing was stored; its IDs do not exist.',
      schema: SendSchema,
      example: { ...sendExample, dry_run: true },
    },
  },
  problems: [
    'invalid_query', 'insufficient_balance', 'account_suspended', 'idempotency_in_progress', 'payload_too_large', 'unsupported_media_type',
    'validation_failed', 'recipients_rejected', 'idempotency_key_reused', 'queue_full', 'recipient_rate_limited', 'no_sender_available',
    'outcome_unknown', 'storage_full',
  ],
  handle,
} // prettier-ignore

async function handle(
  { sender }: SendOperationDeps,
  { caller, body: given, headers }: ApiCall,
): Promise<Answer> {
  const body = given as object
  if (isDryRun(body))
    return {
      status: 200,
      body: await sender.dryRun(caller, body, (request, routing) => writeSendAnswer(request, true, routing)),
    }
  const idempotency = readIdempotency(headers, body)
  const sent = await sender.send(caller, body, idempotency, (request) => writeSendAnswer(request, false))
  return sent.kind === 'accepted'
    ? { status: 202, body: sent.answer }
    : { status: 202, body: renderReplay(sent.replay), headers: { 'idempotent-replayed': 'true' } }
}

/** Returns whether a body requests a dry run. */
export const isDryRun = (body: object): boolean => 'dry_run' in body && body.dry_run === true

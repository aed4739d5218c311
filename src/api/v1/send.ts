import { Type } from 'typebox'
import { SendBodySchema } from '../../sending/send-body.ts'
import type { Sender } from '../../sending/sender.ts'
import type { Answer, Call, Operation } from '../operation.ts'
import { idempotencyKeyForm, readIdempotency } from './idempotency-key.ts'
import { renderReplay, SendSchema, writeSendAnswer } from './send-answer.ts'
import { sendBodyExamples, sendExample } from './send-examples.ts'

export interface SendOperationDeps {
  sender: Sender
}

export const sendOperation: Operation<SendOperationDeps> = {
  id: 'sendMessages',
  method: 'POST',
  path: '/api/v1/send',
  scope: 'messages:send',
  kind: 'send',
  summary: 'Send an SMS',
  description: `One text to one or up to 100 numbers. All or nothing: everything about every recipient is checked first, then the send, its messages and the hold
on the balance are stored in one transaction. **202 means stored for good**: the messages survive a crash, and a device sends them as soon as one can.

One part costs one SMS: up to 160 characters of the GSM alphabet or 70 of any other, 153 or 67 a part when the text needs several. \`content\` and \`warnings\`
say what the text needs and why; \`dry_run\` says it without sending.

Repeat a request safely with an \`Idempotency-Key\`: the same key and body give the first answer again and send nothing twice. With a test key nothing leaves
the service: the simulator plays the network, and the numbers +15005550001 to +15005550011 play its moods.`,
  body: { schema: SendBodySchema, examples: sendBodyExamples },
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        ...idempotencyKeyForm,
        description: 'Names this send, for 7 days unless the operator set another time, and until its messages are final: 1 to 255 visible ASCII characters, bare or quoted. Ignored with `dry_run`.',
      }),
    ),
  }),
  answers: {
    202: {
      description: 'Stored for good; every message is `queued`, or `scheduled` when `send_at` lies ahead.',
      schema: SendSchema,
      example: sendExample,
      headers: {
        'Idempotent-Replayed': { description: '`true` when this is the answer to an earlier request again.', schema: Type.Unsafe({ type: 'string', enum: ['true'] }) },
      },
    },
    200: {
      description: 'A dry run: what the answer would be. Nothing was stored, its ids name nothing.',
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
  { caller, body: given, headers }: Call,
): Promise<Answer> {
  const body = given as object
  if (isDryRun(body))
    return {
      status: 200,
      body: await sender.dryRun(caller, body, (request) => writeSendAnswer(request, true)),
    }
  const idempotency = readIdempotency(headers, body)
  const sent = await sender.send(caller, body, idempotency, (request) => writeSendAnswer(request, false))
  return sent.kind === 'accepted'
    ? { status: 202, body: sent.answer }
    : { status: 202, body: renderReplay(sent.replay), headers: { 'idempotent-replayed': 'true' } }
}

/** Whether a body asks what a send would cost. */
export const isDryRun = (body: object): boolean => 'dry_run' in body && body.dry_run === true

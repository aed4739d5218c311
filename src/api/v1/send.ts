import { Type } from 'typebox'
import type { Caller } from '../../accounts/authenticator.ts'
import type { SharedCounts } from '../../runtime/shared-counts.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Config } from '../../config.ts'
import { Refusal, refuse } from '../../runtime/errors.ts'
import { presentSpelling } from '../../numbers/number-changes.ts'
import type { SendRequest, StoredSend } from '../../messages/send-request.ts'
import type { Answer, Call, Operation } from '../operation.ts'
import { idempotencyKeyForm, InFlight, readIdempotency } from './idempotency.ts'
import { buildRequest, checkSend, type CheckedSend, type PrepareSendDeps } from './prepare-send.ts'
import { RecipientGuard, type RecipientGuardDeps } from './recipient-guard.ts'
import { RecipientRate } from './recipient-rate.ts'
import { renderReplay, SendSchema, writeSendAnswer } from './send-answer.ts'
import { SendBodySchema } from './send-body.ts'
import { sendBodyExamples, sendExample } from './send-examples.ts'
import type { SendPorts } from './send-ports.ts'

export interface SendOperationDeps extends PrepareSendDeps {
  ports: SendPorts
  inFlight: InFlight
  recipientRate: RecipientRate
  recipientGuard: RecipientGuard
}

/** Brings along what the operation remembers between requests. One for each server. */
export function createSendDeps(deps: {
  clock: Clock
  ids: PrepareSendDeps['ids']
  config: PrepareSendDeps['config'] & Pick<Config, 'authMessagesPerRecipient'> & RecipientGuardDeps['config']
  ports: SendPorts
  /** Of several nodes; left out where one counts for itself. */
  counts?: SharedCounts
}): SendOperationDeps {
  const recipientRate = new RecipientRate(deps, deps.config.authMessagesPerRecipient)
  return { ...deps, inFlight: new InFlight(), recipientRate, recipientGuard: new RecipientGuard(deps) }
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

async function handle(deps: SendOperationDeps, call: Call): Promise<Answer> {
  const body = call.body as object
  if ('dry_run' in body && body.dry_run === true) return dryRun(deps, call, body)
  const idempotency = readIdempotency(call.headers, body)
  if (idempotency === null) return send(deps, call, body, null)
  const { accountId, mode } = call.caller
  return deps.inFlight.hold(`${accountId}:${mode}:${idempotency.key}`, () =>
    sendOnce(deps, call, body, idempotency),
  )
}

/**
 * A send under an Idempotency-Key. What was stored under it comes before any fault of the request, but is looked up only when there is
 * one: a request without faults meets it in the transaction that stores it.
 */
async function sendOnce(
  deps: SendOperationDeps,
  call: Call,
  body: object,
  idempotency: NonNullable<SendRequest['idempotency']>,
): Promise<Answer> {
  try {
    return await send(deps, call, body, idempotency)
  } catch (error) {
    const { accountId, mode } = call.caller
    const replay =
      error instanceof Refusal ? await deps.ports.findReplay({ accountId, mode, key: idempotency.key }) : null
    if (replay === null) throw error
    return answerReplay(replay, idempotency.fingerprint)
  }
}

async function send(
  deps: SendOperationDeps,
  { caller }: Call,
  body: object,
  idempotency: SendRequest['idempotency'],
): Promise<Answer> {
  const checked = await checkSend(deps, caller, body)
  const noteForPumping = await deps.recipientGuard.watch(caller, checked)
  const uncountCodes = countAuthentication(deps, caller, checked)
  let settle: ((isStored: boolean) => void) | null = null
  let stored = false
  try {
    settle = await deps.recipientGuard.count(caller, checked, deps.clock.now())
    const { write, result } = await accept(deps, () => buildRequest(deps, caller, checked, idempotency))
    if (result.kind === 'refused') throw refuse(result.code, result.extra)
    if (result.kind === 'replayed') return answerReplay(result.replay, idempotency?.fingerprint ?? '')
    stored = true
    noteForPumping()
    return { status: 202, body: write(result) }
  } finally {
    settle?.(stored)
    if (!stored) uncountCodes?.()
  }
}

/** How often a send is made anew because a page of history has passed by its time; each page lies some 100 ms behind the one before. */
const mostTries = 10

async function accept({ ports }: SendOperationDeps, build: () => SendRequest) {
  for (let tries = 1; tries <= mostTries; tries++) {
    const request = build()
    const write = writeSendAnswer(request, false)
    const result = await ports.sendMessages(request)
    if (result.kind !== 'late') return { write, result }
  }
  throw refuse('unavailable', { headers: { 'retry-after': '1' } })
}

async function dryRun(deps: SendOperationDeps, { caller }: Call, body: object): Promise<Answer> {
  const checked = await checkSend(deps, caller, body)
  countAuthentication(deps, caller, checked)?.()
  const settle = await deps.recipientGuard.count(caller, checked, deps.clock.now())
  settle?.(false)
  const request = buildRequest(deps, caller, checked, null)
  const decision = await deps.ports.priceOnly(request)
  if (decision.kind === 'refuse') throw refuse(decision.code, decision.extra)
  return { status: 200, body: writeSendAnswer(request, true)(decision) }
}

/** Refuses when one of the numbers has had its share of codes; counts this one until it is taken back. */
function countAuthentication(
  { recipientRate }: SendOperationDeps,
  { accountId, mode }: Caller,
  { body, recipients }: CheckedSend,
): (() => void) | null {
  if (body.category !== 'authentication') return null
  const numbers = recipients.map(({ to }) => presentSpelling(to))
  const { indexes, retryAfterSeconds } = recipientRate.findExhausted(accountId, mode, numbers)
  if (indexes.length === 0) return recipientRate.count(accountId, mode, numbers)
  throw refuse('recipient_rate_limited', {
    detail: `These numbers have had their authentication messages of the last 10 minutes; wait ${retryAfterSeconds} s.`,
    errors: indexes.map((i) => ({
      pointer: recipients[i]?.pointer ?? '/to',
      code: 'recipient_rate_limited',
      detail: 'This number was sent too many codes.',
    })),
    violated_policies: ['authentication-messages'],
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}

function answerReplay(replay: StoredSend, fingerprint: string): Answer {
  if (replay.fingerprint !== fingerprint) throw refuse('idempotency_key_reused')
  return { status: 202, body: renderReplay(replay), headers: { 'idempotent-replayed': 'true' } }
}

import type { Db } from '../../storage/seam/dialect.ts'
import { type DeliveryTry, listTries } from '../../webhooks/list-deliveries.ts'
import { sendTestEvent } from '../../webhooks/replay.ts'
import { command } from '../core/command.ts'
import { lookUntil } from '../core/look-until.ts'
import type { CommandContext } from '../core/command-context.ts'
import { accountOption } from '../core/common-options.ts'

/** A server polls twice a second. */
const graceMs = 5_000
const pollMs = 250

interface Named {
  accountId: string
  endpointId: string
  eventId: string
}

/** `onesixty webhook test`: a running server sends a test event to an endpoint, and the command prints the result. */
export const testCommand = command({
  summary: 'Sends the event webhook.test to an endpoint, and prints its response.',
  details:
    'A running server sends it like any other event, but before all pending deliveries and even if the endpoint is failing.',
  arguments: [],
  options: {
    account: accountOption,
    endpoint: { type: 'text', value: 'ENDPOINT', summary: 'Webhook endpoint ID: whk_…', required: true },
  },
  run: (tools, { options }) =>
    tools.withStorage(async ({ read, writer }) => {
      const named = { accountId: options.account, endpointId: options.endpoint }
      const eventId = await writer.write((tx) => sendTestEvent(tx, { nowMs: tools.clock.now() }, named))
      const attempt = await firstAttempt(tools, read, { ...named, eventId })
      const json = { event_id: eventId, status: attempt?.status ?? null, failure: attempt?.failure ?? null }
      const status = attempt?.status ?? null
      const isDone = status !== null && status >= 200 && status <= 299
      const text =
        attempt === null ? await describeNoAttempt(read, { ...named, eventId }) : describeAttempt(attempt)
      return { json: { ...json, delivered: isDone }, text, exitCode: isDone ? 0 : 1 }
    }),
})

/** Waits for twice the timeout of an attempt: another attempt can be in flight when the event is stored. */
function firstAttempt(
  { clock, config }: CommandContext,
  read: Db,
  named: Named,
): Promise<DeliveryTry | null> {
  const withinMs = 2 * config.webhookTimeoutMs + graceMs
  const readAttempt = async () => (await listTries(read, named))[0]
  return lookUntil(clock, readAttempt, { withinMs, everyMs: pollMs })
}

function describeAttempt({ status, failure, durationMs }: DeliveryTry): string {
  if (status === null) return `No response: ${failure}.`
  const redirect =
    status >= 300 && status <= 399
      ? ' Redirects are not followed: use the target of the redirect as the URL of the endpoint.'
      : ''
  return `The endpoint returned ${status} in ${durationMs} ms.${redirect}`
}

/** The test event is sent before all others: if no server has claimed it by now, it waits for a server. */
async function describeNoAttempt(read: Db, { accountId, endpointId, eventId }: Named): Promise<string> {
  const delivery = await read
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_endpoints as w', 'w.id', 'd.endpoint_id')
    .select(['d.token', 'w.state'])
    .where('d.account_id', '=', accountId)
    .where('d.endpoint_id', '=', endpointId)
    .where('d.event_id', '=', eventId)
    .executeTakeFirst()
  if (delivery === undefined || delivery.state !== 'enabled')
    return 'The endpoint was disabled or removed in the meantime: nothing is sent.'
  return delivery.token > 0
    ? 'The delivery is in flight without a response yet: see the deliveries of the endpoint later.'
    : 'No server has claimed the event: is one running with the role webhooks?'
}

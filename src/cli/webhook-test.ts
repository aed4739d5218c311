import type { Db } from '../storage/dialect.ts'
import { type DeliveryTry, listTries } from '../webhooks/list-deliveries.ts'
import { sendTestEvent } from '../webhooks/replay.ts'
import { command } from './command.ts'
import { lookUntil } from './look-until.ts'
import type { Toolbox } from './toolbox.ts'

/** A server looks twice a second. */
const graceMs = 5_000
const lookMs = 250

interface Named {
  accountId: string
  endpointId: string
  eventId: string
}

/** `onesixty webhook test`: has a running server tell an endpoint something, and says what came of it. */
export const testCommand = command({
  summary: 'Tells an endpoint the event webhook.test, and says what it answered.',
  details:
    'A running server delivers it the same way as everything else, ahead of what waits for the endpoint and though it fails.',
  arguments: [],
  options: {
    account: { type: 'text', value: 'ACCOUNT', says: 'Id of the account: acc_…', required: true },
    endpoint: { type: 'text', value: 'ENDPOINT', says: 'Id of the endpoint: whk_…', required: true },
  },
  run: (tools, { options }) =>
    tools.withStorage(async ({ read, writer }) => {
      const named = { accountId: options.account, endpointId: options.endpoint }
      const eventId = await writer.write((tx) => sendTestEvent(tx, { nowMs: tools.clock.now() }, named))
      const tried = await firstTry(tools, read, { ...named, eventId })
      const json = { event_id: eventId, status: tried?.status ?? null, failure: tried?.failure ?? null }
      const isDone = tried !== null && tried.status !== null && tried.status >= 200 && tried.status <= 299
      const text = tried === null ? await untriedSentence(read, { ...named, eventId }) : triedSentence(tried)
      return { json: { ...json, delivered: isDone }, text, exitCode: isDone ? 0 : 1 }
    }),
})

/** Waits for twice the time that a try may take: another one that hangs may be under way when the event comes. */
function firstTry({ clock, config }: Toolbox, read: Db, named: Named): Promise<DeliveryTry | null> {
  const withinMs = 2 * config.webhookTimeoutMs + graceMs
  const look = async () => (await listTries(read, named))[0]
  return lookUntil(clock, look, { withinMs, everyMs: lookMs })
}

function triedSentence({ status, failure, durationMs }: DeliveryTry): string {
  if (status === null) return `No answer: ${failure}.`
  const redirect =
    status >= 300 && status <= 399
      ? ' Redirects are not followed: give the endpoint the address that this one leads to.'
      : ''
  return `It answered ${status} within ${durationMs} ms.${redirect}`
}

/** The event goes before all others: what no server has taken by now waits for a server, not behind others. */
async function untriedSentence(read: Db, { accountId, endpointId, eventId }: Named): Promise<string> {
  const delivery = await read
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_endpoints as w', 'w.id', 'd.endpoint_id')
    .select(['d.token', 'w.state'])
    .where('d.account_id', '=', accountId)
    .where('d.endpoint_id', '=', endpointId)
    .where('d.event_id', '=', eventId)
    .executeTakeFirst()
  if (delivery === undefined || delivery.state !== 'enabled')
    return 'The endpoint was disabled or removed meanwhile: it is not told.'
  return delivery.token > 0
    ? 'A server is telling it and has no answer yet: the log of its deliveries will have it.'
    : 'No server has taken it, though it goes before all that waits: is one running, with the role webhooks?'
}

import { randomUUID } from 'node:crypto'
import { createApiKey, revokeApiKey } from '../../accounts/keys/api-keys.ts'
import type { PhoneTokenOwner } from '../../devices/phones/phone-tokens.ts'
import { testText } from '../../devices/phones/guide-words.ts'
import type { CommandStorage } from '../../storage/open/command-storage.ts'
import { callApi, serverUrl } from '../core/call-api.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'

/** Outlives the one request for which it is created, also on a slow machine. */
const keyLifeMs = 5 * 60_000

/**
 * Sends the test SMS through the API of the running server, with a key that is created for this request and then revoked.
 * Returns the ID of the message. Throws a `CommandError` with what the server refused.
 */
export async function sendTest(
  tools: CommandContext,
  { writer }: Pick<CommandStorage, 'writer'>,
  { accountId, mode }: PhoneTokenOwner & { accountId: string },
  { to, from }: { to: string; from: string | null },
): Promise<string> {
  const url = serverUrl(tools, undefined)
  const deps = () => ({ ...tools, nowMs: tools.clock.now() })
  const { keyId, token } = await writer.write((tx) =>
    createApiKey(tx, deps(), {
      accountId,
      mode,
      name: 'device connect',
      scopes: ['messages:send'],
      expiresAt: tools.clock.now() + keyLifeMs,
      actor: cliActor,
    }),
  )
  try {
    const sent = await callApi({ url, key: token }, 'POST', '/api/v1/send', {
      body: { to, text: testText, ...(from === null ? {} : { from }) },
      idempotencyKey: randomUUID(),
      retry: 'look at the history of the account before you send again.',
    })
    return (sent as { messages: { id: string }[] }).messages[0]?.id ?? ''
  } finally {
    await writer.write((tx) => revokeApiKey(tx, deps(), { keyId, actor: cliActor }))
  }
}

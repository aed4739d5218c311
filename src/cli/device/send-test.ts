import { createApiKey, revokeApiKey } from '../../accounts/keys/api-keys.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { testText } from '../../devices/phones/guide-words.ts'
import type { CommandStorage } from '../../storage/open/command-storage.ts'
import { callApi, serverUrl } from '../core/call-api.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'

/** Outlives the one request for which it is created, also on a slow machine. */
const keyLifeMs = 5 * 60_000

/** One test SMS. The same `key` again sends it once, however often its answer was lost. */
export interface TestSms {
  to: string
  from: string | null
  key: string
}

/** The test SMS that was accepted. */
export interface AcceptedTest {
  messageId: string
  /** The API key of the request, which could not be revoked; it ends by itself. Null: it is revoked. */
  leftKeyId: string | null
}

/**
 * Sends the test SMS through the API of the running server, with an API key that is created for this request and then
 * revoked. Throws a `CommandError` with what the server refused; what the request said is never lost by the revocation.
 */
export async function sendTest(
  tools: CommandContext,
  { writer }: Pick<CommandStorage, 'writer'>,
  { accountId, mode }: { accountId: string; mode: Mode },
  { to, from, key }: TestSms,
): Promise<AcceptedTest> {
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
  const revoke = (): Promise<boolean> =>
    writer
      .write((tx) => revokeApiKey(tx, deps(), { keyId, actor: cliActor }))
      .then(
        () => true,
        () => false,
      )
  const asked = callApi({ url, key: token }, 'POST', '/api/v1/send', {
    body: { to, text: testText, ...(from === null ? {} : { from }) },
    idempotencyKey: key,
    retry: 'send it to the same number again, which sends it only once.',
  })
  // Settled before the key is revoked; its failure is thrown after that.
  await asked.catch(() => undefined)
  const isRevoked = await revoke()
  const sent = (await asked) as { messages: { id: string }[] }
  return { messageId: sent.messages[0]?.id ?? '', leftKeyId: isRevoked ? null : keyId }
}

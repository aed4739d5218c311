import { refuse } from '../../../runtime/errors.ts'
import type { MessageRow } from '../../../messages/core/message-store.ts'
import type { AccountContext } from '../core/call.ts'
import { consoleCaller } from '../core/console-caller.ts'
import { countSend, sendFromConsole } from './send-from-console.ts'

/**
 * Sends the text of a message to its number once more, as the person who asks. `key` comes from the page: what came with it before is not
 * sent again. Refuses what `POST /api/v1/send` refuses, received messages, and those whose text was erased.
 */
export async function sendAgain(
  context: AccountContext,
  messageId: string,
  key: string,
): Promise<{ messageId: string }> {
  const { read, account } = context
  const message = await read
    .selectFrom('messages')
    .selectAll()
    .where('account_id', '=', account.id)
    .where('mode', '=', account.mode)
    .where('id', '=', messageId)
    .executeTakeFirst()
  if (message === undefined)
    throw refuse('not_found', { detail: 'This account has no such message in this mode.' })
  const body = bodyToSendAgain(message)
  if (body === null)
    throw refuse('validation_failed', {
      detail: 'Received messages, and those whose text was erased, cannot be sent again.',
    })
  const caller = await consoleCaller(context)
  countSend(context, caller)
  const sent = await sendFromConsole(context, caller, body, key)
  return { messageId: sent.messages[0]?.id ?? '' }
}

/** What would be sent if a message were sent again, as a body of `POST /api/v1/send`; null when it cannot be: received, or its text erased. */
export function bodyToSendAgain(message: MessageRow): Record<string, unknown> | null {
  if (message.direction !== 'outbound' || message.text === null) return null
  const { sender, category, client_reference: reference, metadata } = message
  return {
    to: message.recipient,
    text: message.text,
    ...(sender === null ? {} : { from: sender }),
    ...(category === 'transactional' ? {} : { category }),
    ...(reference === null ? {} : { client_reference: reference }),
    ...(metadata === '{}' ? {} : { metadata: JSON.parse(metadata) as unknown }),
  }
}

/** A line for a POSIX shell that sends `body` with a key of the reader's own. */
export const curlOf = (publicUrl: string, body: object): string =>
  [
    `curl ${quoted(`${publicUrl}/api/v1/send`)}`,
    `-H 'Authorization: Bearer YOUR_API_KEY'`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ')

/** Within single quotes a shell reads nothing but the next quote (POSIX.1-2024, Shell Command Language 2.2.2). */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

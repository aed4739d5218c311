import { refuse } from '../../../runtime/errors.ts'
import type { MessageRow } from '../../../messages/core/message-store.ts'
import type { AccountContext } from '../core/call.ts'
import { consoleCaller } from '../core/console-caller.ts'
import { countSend, sendFromConsole } from './send-from-console.ts'

/**
 * Sends the text of a message to its number again, as the requesting user. `key` comes from the page: the
 * same key sends only once. Refuses what `POST /api/v1/send` refuses, received messages, and erased texts.
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
    throw refuse('not_found', { detail: 'Message not found in this account and mode.' })
  const body = bodyToSendAgain(message)
  if (body === null)
    throw refuse('validation_failed', {
      detail: 'Received messages and messages with an erased text cannot be sent again.',
    })
  const caller = await consoleCaller(context)
  countSend(context, caller)
  const sent = await sendFromConsole(context, caller, body, key)
  return { messageId: sent.messages[0]?.id ?? '' }
}

/**
 * Returns the body of `POST /api/v1/send` that sends a message again; null for received messages and erased
 * texts.
 */
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

/** Returns a command for a POSIX shell that sends `body` with a key of the reader. */
export const curlOf = (publicUrl: string, body: object): string =>
  [
    `curl ${quoted(`${publicUrl}/api/v1/send`)}`,
    `-H 'Authorization: Bearer YOUR_API_KEY'`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ')

/**
 * Within single quotes, a shell interprets only the closing quote (POSIX.1-2024, Shell Command Language
 * 2.2.2).
 */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

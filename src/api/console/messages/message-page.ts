import { refuse } from '../../../runtime/errors.ts'
import { type MessageDetails, readMessageDetails } from '../../../messages/history/message-details.ts'
import { splitText } from '../../../sms/sms-text.ts'
import type { Db } from '../../../storage/seam/dialect.ts'
import { type MessageView, renderMessage } from '../../v1/message-view.ts'
import { renderStage, type RoutedStage } from '../../v1/routing-view.ts'
import type { AccountContext } from '../core/call.ts'
import { bodyToSendAgain, curlOf } from './send-again.ts'

/** All content of the page of a message. */
export interface MessagePage extends Omit<MessageDetails, 'message' | 'routeKey'> {
  /** As in `/api/v1/history`. */
  message: MessageView
  /** Text of each part; empty once the text was erased. */
  partTexts: string[]
  /** Shell command that sends the same message; null when it cannot be sent again. */
  curl: string | null
  /** Stages of its way while it is queued: over which devices it goes now, and why not over others. */
  routing: RoutedStage[]
  canCancel: boolean
  canMove: boolean
  /** Names of its devices, by ID; shared devices of the operator have none. */
  deviceNames: Record<string, string>
}

/** Returns the page of a message. Refuses (404) a message that the account does not have in this mode. */
export async function readMessagePage(context: AccountContext, messageId: string): Promise<MessagePage> {
  const { read, account, publicUrl } = context
  const owner = { accountId: account.id, mode: account.mode }
  const found = await readMessageDetails(read, owner, messageId)
  if (found === null)
    throw refuse('not_found', {
      detail: 'Message not found in this account and mode. By default, messages are kept for 90 days.',
    })
  const { message, routeKey, ...details } = found
  const body = bodyToSendAgain(message)
  const routing =
    message.status === 'queued'
      ? (await context.ports.history.explain(message, routeKey)).map(renderStage)
      : []
  return {
    ...details,
    message: renderMessage(message),
    partTexts: message.text === null ? [] : splitText(message.text, message.encoding),
    curl: body === null ? null : curlOf(publicUrl(), body),
    routing,
    canCancel: message.finalized_at === null && message.status !== 'sent',
    canMove: message.status === 'scheduled',
    deviceNames: await readDeviceNames(read, account.id, found, routing),
  }
}

async function readDeviceNames(
  db: Db,
  accountId: string,
  { message, attempts }: MessageDetails,
  routing: readonly RoutedStage[],
): Promise<Record<string, string>> {
  const ids = new Set([
    ...attempts.map(({ deviceId }) => deviceId),
    ...routing.flatMap(({ devices }) => devices.map(({ id }) => id)),
  ])
  if (message.device_id !== null) ids.add(message.device_id)
  if (ids.size === 0) return {}
  const rows = await db
    .selectFrom('devices')
    .select(['id', 'name'])
    .where('id', 'in', [...ids])
    .where('account_id', '=', accountId)
    .execute()
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

import { type HistoryDeps, readHistory } from '../../../messages/history/history.ts'
import { everyMessage, type HistoryPosition } from '../../../messages/history/history-query.ts'
import type { ListedMessage } from '../messages/listed-message.ts'
import { listMessage } from '../messages/listed-message.ts'
import type { LiveSource } from '../core/live-feed.ts'
import type { ReadOf } from '../../../storage/seam/dialect.ts'

/** Events about messages. */
export type MessagesEvent =
  /** Changed or new messages, in the order of their changes. */
  | { kind: 'changed'; rows: ListedMessage[] }
  /** The stream begins here: the page reads earlier changes itself. */
  | { kind: 'begins' }
  /** Too many changes to send individually. */
  | { kind: 'reload' }

export interface MessagesSourceDeps extends Omit<HistoryDeps, 'read'> {
  readOf: ReadOf
}

/** More rows than a screen shows: a page that is this far behind reloads. */
const maxRows = 100

/** Reports changed messages of an account, in the order of `updated_after`. */
export const messagesSource = ({ readOf, safeHorizonMs }: MessagesSourceDeps): LiveSource => ({
  topic: 'messages',
  async read({ accountId, mode }, since) {
    // Everything before the horizon is stored: a page that reads after this event sees it.
    const present: HistoryPosition = { updatedAtMs: (await safeHorizonMs()) - 1, id: 'msg_~' }
    const position = since as HistoryPosition | undefined
    if (position === undefined) return eventOf({ kind: 'begins' }, present)
    const { rows, next } = await readHistory(
      { read: readOf(accountId), safeHorizonMs },
      {
        owner: { accountId, mode },
        query: { ...everyMessage, updatedAfterMs: position.updatedAtMs },
        position,
        limit: maxRows,
      },
    )
    if (next !== null) return eventOf({ kind: 'reload' }, present)
    const last = rows.at(-1)
    if (last === undefined) return null
    return eventOf(
      { kind: 'changed', rows: rows.map(listMessage) },
      { updatedAtMs: last.updated_at, id: last.id },
    )
  },
})

const eventOf = (
  event: MessagesEvent,
  next: HistoryPosition,
): { event: MessagesEvent; next: HistoryPosition } => ({ event, next })

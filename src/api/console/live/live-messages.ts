import { type HistoryDeps, readHistory } from '../../../messages/history/history.ts'
import { everyMessage, type HistoryPosition } from '../../../messages/history/history-query.ts'
import type { ListedMessage } from '../messages/listed-message.ts'
import { listMessage } from '../messages/listed-message.ts'
import type { LiveSource } from '../core/live-feed.ts'
import type { ReadOf } from '../../../storage/seam/dialect.ts'

/** What a page is told of messages. */
export type MessagesEvent =
  /** These have changed, or are new; in the order of their changes. */
  | { kind: 'changed'; rows: ListedMessage[] }
  /** The stream begins here: what changed before, a page asks for. */
  | { kind: 'begins' }
  /** More has changed than is worth telling one by one. */
  | { kind: 'reload' }

export interface MessagesSourceDeps extends Omit<HistoryDeps, 'read'> {
  readOf: ReadOf
}

/** More rows than a screen shows: a page that is this far behind reads anew. */
const maxRows = 100

/** Tells of the messages of an account as they change, in the order of `updated_after`. */
export const messagesSource = ({ readOf, safeHorizonMs }: MessagesSourceDeps): LiveSource => ({
  topic: 'messages',
  async read({ accountId, mode }, since) {
    // Whatever has a time before the horizon is stored: the page that asks after this event sees it.
    const present: HistoryPosition = { updatedAtMs: (await safeHorizonMs()) - 1, id: 'msg_~' }
    const position = since as HistoryPosition | undefined
    if (position === undefined) return tell({ kind: 'begins' }, present)
    const { rows, next } = await readHistory(
      { read: readOf(accountId), safeHorizonMs },
      {
        owner: { accountId, mode },
        query: { ...everyMessage, updatedAfterMs: position.updatedAtMs },
        position,
        limit: maxRows,
      },
    )
    if (next !== null) return tell({ kind: 'reload' }, present)
    const last = rows.at(-1)
    if (last === undefined) return null
    return tell(
      { kind: 'changed', rows: rows.map(listMessage) },
      { updatedAtMs: last.updated_at, id: last.id },
    )
  },
})

const tell = (
  event: MessagesEvent,
  next: HistoryPosition,
): { event: MessagesEvent; next: HistoryPosition } => ({ event, next })

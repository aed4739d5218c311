import { readLastChange, timeOfNumber } from '../../../messages/core/change-number.ts'
import { readHistory } from '../../../messages/history/history.ts'
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

/** More rows than a screen shows: a page that is this far behind reloads. */
const maxRows = 100

/** Reports changed messages of an account, in the order of `updated_after`. */
export const messagesSource = ({ readOf }: { readOf: ReadOf }): LiveSource => ({
  topic: 'messages',
  async read({ accountId, mode }, since) {
    const read = readOf(accountId)
    // Read first: a page that is read after this event has all changes up to it.
    const present = positionAfter(await readLastChange(read, accountId))
    const position = since as HistoryPosition | undefined
    if (position === undefined) return eventOf({ kind: 'begins' }, present)
    const { rows, next, readTo } = await readHistory(read, {
      owner: { accountId, mode },
      query: { ...everyMessage, updatedAfterMs: position.updatedAtMs },
      position,
      limit: maxRows,
    })
    if (next !== null) return eventOf({ kind: 'reload' }, present)
    if (rows.length === 0) return null
    return eventOf({ kind: 'changed', rows: rows.map(listMessage) }, readTo ?? present)
  },
})

/** The end of a unit. */
const positionAfter = (number: number): HistoryPosition => ({
  updatedAtMs: timeOfNumber(number),
  id: '',
  change: { number: number + 1, part: 0, index: -1 },
})

const eventOf = (
  event: MessagesEvent,
  next: HistoryPosition,
): { event: MessagesEvent; next: HistoryPosition } => ({ event, next })

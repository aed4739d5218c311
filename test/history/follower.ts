import type {
  HistoryFilter,
  HistoryOwner,
  HistoryPosition,
} from '../../src/messages/history/history-query.ts'
import { everyMessage } from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import type { Db } from '../../src/storage/seam/dialect.ts'
import { readShown } from '../messages/shown-messages.ts'

/** A client that keeps a copy of its messages by asking for what changed, again and again from the last change that it saw. */
export interface Follower {
  /** Reads to the last page. */
  follow(): Promise<void>
  /** The stored messages that are not in the copy as they are. */
  missed(): Promise<string[]>
  readonly copy: ReadonlyMap<string, MessageRow>
  /** The time and the ID of all that was shown, in that order. */
  readonly told: readonly string[]
}

export function createFollower(
  read: Db,
  owner: HistoryOwner,
  limit: number,
  filter: Partial<HistoryFilter> = {},
): Follower {
  const copy = new Map<string, MessageRow>()
  const told: string[] = []
  let updatedAfterMs = 0
  return {
    copy,
    told,
    async follow() {
      let position: HistoryPosition | null = null
      let last = updatedAfterMs
      do {
        const query = { ...everyMessage, ...filter, updatedAfterMs }
        const page = await readHistory(read, { owner, query, position, limit })
        for (const row of page.rows) {
          copy.set(row.id, row)
          told.push(`${row.updated_at} ${row.id}`)
          last = row.updated_at
        }
        position = page.next
      } while (position !== null)
      updatedAfterMs = last
    },
    async missed() {
      return (await readShown(read))
        .filter(({ account_id }) => account_id === owner.accountId)
        .filter((row) => copy.get(row.id)?.sequence !== row.sequence)
        .map((row) => `${row.status} since ${row.updated_at}, known as ${copy.get(row.id)?.status}`)
    },
  }
}

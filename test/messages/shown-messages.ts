import type { Db } from '../../src/storage/seam/dialect.ts'
import { withOpenAttempts } from '../../src/messages/core/open-attempt.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'

/** All messages, each as it is shown: in flight is `sending`. */
export const readShown = async (db: Db): Promise<MessageRow[]> =>
  withOpenAttempts(db, await db.selectFrom('messages').selectAll().orderBy('id').execute())

/** The only message, or the first of several. */
export const firstOf = (messages: readonly MessageRow[]): MessageRow => {
  const [first] = messages
  if (first === undefined) throw new Error('There is no message.')
  return first
}

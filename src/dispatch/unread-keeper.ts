import { recordUnread } from '../devices/unread-forms.ts'
import type { Writer } from '../storage/writer.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'
import type { UnreadNotes } from './unread-notes.ts'

const intervalMs = 10_000

/** Writes down now and then what devices sent and nobody could read. */
export function createUnreadKeeper(deps: JanitorDeps & { writer: Writer; unread: UnreadNotes }): Janitor {
  const sweep = async (): Promise<boolean> => {
    const notes = deps.unread.take()
    if (notes.length === 0) return false
    try {
      await deps.writer.write((tx) => recordUnread(tx, notes))
    } catch (error) {
      deps.unread.giveBack(notes)
      throw error
    }
    return false
  }
  return new Janitor(deps, { name: 'unread-keeper', intervalMs, sweep })
}

import { recordUnread } from '../../devices/status/unread-forms.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'
import type { UnparsedNotes } from '../devices/unparsed-notes.ts'

const intervalMs = 10_000

/** Stores periodically what devices sent and could not be parsed. */
export function createUnreadKeeper(deps: SweeperDeps & { writer: Writer; unparsed: UnparsedNotes }): Sweeper {
  const sweep = async (): Promise<boolean> => {
    const notes = deps.unparsed.take()
    if (notes.length === 0) return false
    try {
      await deps.writer.write((tx) => recordUnread(tx, notes))
    } catch (error) {
      deps.unparsed.giveBack(notes)
      throw error
    }
    return false
  }
  return new Sweeper(deps, { name: 'unread-keeper', intervalMs, sweep })
}

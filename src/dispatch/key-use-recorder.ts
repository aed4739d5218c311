import { type KeyUse, touchLastUsed } from '../accounts/api-keys.ts'
import type { Writer } from '../storage/writer.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'

const intervalMs = 10_000

/** Writes down now and then when keys were last used. */
export const createKeyUseRecorder = (
  deps: JanitorDeps & { writer: Writer; takeUses: () => KeyUse[] },
): Janitor =>
  new Janitor(deps, {
    name: 'key-use-recorder',
    intervalMs,
    async sweep() {
      const uses = deps.takeUses()
      if (uses.length > 0) await deps.writer.write((tx) => touchLastUsed(tx, uses))
      return false
    },
  })

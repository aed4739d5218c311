import { type KeyUse, touchLastUsed } from '../../accounts/keys/api-keys.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

const intervalMs = 10_000

/** Stores periodically when keys were last used. */
export const createKeyUseRecorder = (
  deps: SweeperDeps & { writer: Writer; takeUses: () => KeyUse[] },
): Sweeper =>
  new Sweeper(deps, {
    name: 'key-use-recorder',
    intervalMs,
    async sweep() {
      const uses = deps.takeUses()
      if (uses.length > 0) await deps.writer.write((tx) => touchLastUsed(tx, uses))
      return false
    },
  })

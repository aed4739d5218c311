import type { Ids } from '../../runtime/ids.ts'
import { refillTestWallets } from '../../ledger/grants.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

const intervalMs = 5_000
const pageSize = 200

/** Refills the test credits at 00:00 UTC, within seconds. */
export const createTestCreditRefill = (
  deps: SweeperDeps & { writer: Writer; ids: Ids; playSms: number },
): Sweeper =>
  new Sweeper(deps, {
    name: 'test-credit-refill',
    intervalMs,
    async sweep() {
      const refill = { playSms: deps.playSms, limit: pageSize }
      const refilled = await deps.writer.write((tx) =>
        refillTestWallets(tx, { ids: deps.ids, nowMs: deps.clock.now() }, refill),
      )
      return refilled === pageSize
    },
  })

import type { Ids } from '../runtime/ids.ts'
import { refillTestWallets } from '../ledger/grants.ts'
import type { Writer } from '../storage/writer.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'

const intervalMs = 5_000
const pageSize = 200

/** Refills the play wallets at 00:00 UTC, within seconds of it. */
export const createRefiller = (deps: JanitorDeps & { writer: Writer; ids: Ids; playSms: number }): Janitor =>
  new Janitor(deps, {
    name: 'refiller',
    intervalMs,
    async sweep() {
      const refill = { playSms: deps.playSms, limit: pageSize }
      const refilled = await deps.writer.write((tx) =>
        refillTestWallets(tx, { ids: deps.ids, nowMs: deps.clock.now() }, refill),
      )
      return refilled === pageSize
    },
  })

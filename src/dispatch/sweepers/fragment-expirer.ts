import type { Ids } from '../../runtime/ids.ts'
import { changeOnDemand } from '../../messages/core/change-number.ts'
import type { InboundTerms } from '../../messages/inbound/inbound-message.ts'
import { receiveOverdue } from '../../messages/inbound/receive-messages.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

const intervalMs = 60_000
/** Fragments that one transaction handles; each may complete a message. */
const pageSize = 100

export interface FragmentExpirerDeps extends SweeperDeps {
  writer: Writer
  ids: Ids
  terms: InboundTerms
}

/** Delivers incomplete long messages whose other parts do not arrive, and purges those that were joined. */
export const createFragmentExpirer = (deps: FragmentExpirerDeps): Sweeper =>
  new Sweeper(deps, {
    name: 'fragment-expirer',
    intervalMs,
    async sweep() {
      const nowMs = deps.clock.now()
      const { maxCharacters, joinMs } = deps.terms
      const upTo = nowMs - joinMs
      return deps.writer.write((tx) => {
        const take = changeOnDemand(tx, nowMs)
        return receiveOverdue(tx, { ids: deps.ids, take }, { upTo, nowMs, maxCharacters, joinMs }, pageSize)
      })
    },
  })

import type { Ids } from '../runtime/ids.ts'
import type { WriteHorizon } from '../messages/history-horizon.ts'
import type { InboundTerms } from '../messages/inbound-message.ts'
import { receiveOverdue } from '../messages/receive-messages.ts'
import type { Writer } from '../storage/writer.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'

const intervalMs = 60_000
/** Pieces that one transaction looks after; each may bring a message with it. */
const pageSize = 100

export interface FragmentCloserDeps extends JanitorDeps {
  writer: Writer
  ids: Ids
  horizon: WriteHorizon
  terms: InboundTerms
}

/** Hands over what came of long messages whose other pieces do not come, and forgets those that were joined. */
export const createFragmentCloser = (deps: FragmentCloserDeps): Janitor =>
  new Janitor(deps, {
    name: 'fragment-closer',
    intervalMs,
    async sweep() {
      const nowMs = deps.clock.now()
      const { mostCharacters, joinMs } = deps.terms
      const upTo = nowMs - joinMs
      return deps.horizon.hold(nowMs, (timeIn) =>
        deps.writer.write(async (tx) =>
          receiveOverdue(tx, deps.ids, { upTo, nowMs: await timeIn(tx), mostCharacters, joinMs }, pageSize),
        ),
      )
    },
  })

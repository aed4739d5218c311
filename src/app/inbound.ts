import { realKinds } from '../connectors/registry.ts'
import type { DevicePool } from '../dispatch/devices/device-pool.ts'
import { InboundReceiver } from '../dispatch/inbound/inbound-receiver.ts'
import type { Route } from '../dispatch/routes/candidate.ts'
import { routeFrom } from '../dispatch/routes/route-ring.ts'
import type { KeywordTerms } from '../messages/inbound/inbound-message.ts'
import { createNumberHash } from '../numbers/number-hash.ts'
import type { Wiring } from './wiring.ts'

/** Returns how the settings treat STOP, START and HELP. */
const keywordTermsOf = ({ config, secret }: Pick<Wiring, 'config' | 'secret'>): KeywordTerms => ({
  stopWords: { more: config.stopWords, off: config.stopWordsOff },
  confirmation: config.stopAnswer,
  help: config.helpAnswer,
  answersShared: config.answerShared === 'yes',
  sharedStopDays: config.sharedStopDays,
  queueLimit: config.queueLimit,
  kinds: realKinds,
  numbers: createNumberHash(secret),
})

/** Creates the receiver of inbound messages; `wake` is called for routes with a queued reply. */
export const createInboundReceiver = (
  wiring: Wiring,
  { pool, wake }: { pool: DevicePool; wake: (route: Route) => void },
): InboundReceiver =>
  new InboundReceiver({
    ...wiring,
    pool,
    keywords: keywordTermsOf(wiring),
    onKeywordApplied(followed) {
      wiring.optOuts.note(followed, wiring.clock.monotonicMs())
      for (const route of followed.routes) wake(routeFrom(route))
    },
  })

import { realKinds } from '../../src/connectors/registry.ts'
import type { KeywordTerms } from '../../src/messages/inbound/inbound-message.ts'
import { createNumberHash } from '../../src/numbers/number-hash.ts'

/** What is done about keywords where a test says nothing else: both answers, but for shared devices. */
export const keywordTerms: KeywordTerms = {
  stopWords: { more: [], off: [] },
  confirmation: 'No more messages. START begins again.',
  help: 'Shop, +49 30 123456. STOP ends it.',
  answersShared: false,
  sharedStopDays: 90,
  queueLimit: 0,
  kinds: realKinds,
  numbers: createNumberHash({ current: 'a secret of this test, long enough', former: [] }),
}

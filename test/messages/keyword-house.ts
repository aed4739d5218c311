import { createIds, type Ids } from '../../src/runtime/ids.ts'
import type { InboundMessage, KeywordTerms } from '../../src/messages/inbound/inbound-message.ts'
import { receiveMessages } from '../../src/messages/inbound/receive-messages.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { deliveredAt, storedMessage } from '../history/stored-messages.ts'
import { keywordTerms } from './keyword-terms.ts'
import { openUnitHouse, type UnitHouse } from './unit-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { readShown } from './shown-messages.ts'

export const number = '+4915112345678'

/** An account that has written to a person, and hears what that person asks for with one word. */
export async function openKeywordHouse() {
  const house: UnitHouse = await openUnitHouse()
  const ids: Ids = createIds({ now: house.clock.now })
  let told = 0
  // Answers go to whom the account has written to.
  const at = house.clock.now()
  const before = storedMessage({ account_id: 'acc_a', id: ids('msg'), recipient: number, created_at: at, ...deliveredAt(at) }) // prettier-ignore
  await house.store.writer.write((tx) => insertRows(tx, 'messages', [before]))
  const optOuts = () => house.store.db.selectFrom('opt_outs').selectAll().orderBy('account_id').execute()
  return {
    house,
    ids,
    optOuts,
    hear: async (text: string, more: Partial<InboundMessage> = {}, terms: Partial<KeywordTerms> = {}) => {
      // Ids of two makers are in order only when their times are.
      await house.clock.advance(1)
      const message: InboundMessage = {
        deviceId: 'dev_s', accountId: 'acc_a', mode: 'live', from: number, to: '12345', country: 'DE', text, encoding: 'gsm7', units: text.length, parts: 1,
        storedAt: house.clock.now(), inReplyTo: null, fingerprint: `f${told++}`, ...more,
      } // prettier-ignore
      const keywords = { ...keywordTerms, ...terms }
      const [followed] = await house.store.writer.write(async (tx) =>
        receiveMessages(tx, { ids, unit: await takeChange(tx, house.clock.now()) }, [message], {
          joinMs: 60_000,
          maxCharacters: 40_000,
          keywords,
        }),
      )
      return followed
    },
    messages: async () =>
      (await readShown(house.store.db))
        .filter(({ direction, id }) => direction === 'outbound' && id !== before.id)
        .map(({ id, status, text, error_code, sender, recipient, held, cost_state }) => ({ id, status, text, error_code, sender, recipient, held, cost_state })), // prettier-ignore
    holding: async () => {
      const nowMs = house.clock.now()
      return (await optOuts()).filter((row) => row.forget_at === null || row.forget_at > nowMs)
    },
    async close() {
      // No sum counts it.
      await house.store.writer.write((tx) => tx.deleteFrom('messages').where('id', '=', before.id).execute())
      await house.sums()
      await house.close()
    },
  }
}

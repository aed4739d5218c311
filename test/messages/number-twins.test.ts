import { afterEach, beforeEach, expect, test } from 'vitest'
import { createIds, type Ids } from '../../src/runtime/ids.ts'
import { claimMessages } from '../../src/messages/queue/claim-messages.ts'
import { readConversation, readConversations } from '../../src/messages/history/conversations.ts'
import { eraseNumber } from '../../src/privacy/erase-number.ts'
import type { InboundMessage } from '../../src/messages/inbound/inbound-message.ts'
import { findAccountsThatSentTo } from '../../src/messages/inbound/accounts-that-sent.ts'
import { listOptOuts, removeOptOut } from '../../src/messages/opt-outs/manage-opt-outs.ts'
import { OptOutCache } from '../../src/messages/opt-outs/opt-out-cache.ts'
import { receiveMessages } from '../../src/messages/inbound/receive-messages.ts'
import { storeOptOuts } from '../../src/messages/opt-outs/store-opt-outs.ts'
import { findNumbersSentTo } from '../../src/messages/inbound/numbers-sent-to.ts'
import { everyForm } from '../../src/numbers/number-hash.ts'
import { parseSender } from '../../src/numbers/sender-number.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { tablesWith } from './every-cell.ts'
import { keywordTerms } from './keyword-terms.ts'
import { type UnitHouse, openUnitHouse } from './unit-house.ts'
import { type Change, changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { readShown } from './shown-messages.ts'

/** Who has two spellings is one person: for STOP and START, for what is answered, for conversations and when it is erased. */

let house: UnitHouse
let ids: Ids
let told = 0
beforeEach(async () => {
  house = await openUnitHouse()
  ids = createIds({ now: house.clock.now })
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

const inUnit = <T>(work: (tx: Tx, unit: Change) => Promise<T>): Promise<T> =>
  house.store.writer.write(async (tx) => work(tx, await takeChange(tx, house.clock.now())))

const whose = { accountId: 'acc_a', mode: 'live' } as const
const { numbers } = keywordTerms
const hear = async (from: string, text: string, more: Partial<InboundMessage> = {}) => {
  await house.clock.advance(1)
  const message: InboundMessage = {
    deviceId: 'dev_s', accountId: 'acc_a', mode: 'live', from: parseSender(from), to: '12345', country: null, text, encoding: 'gsm7', units: text.length,
    parts: 1, storedAt: house.clock.now(), inReplyTo: null, fingerprint: `f${told++}`, ...more,
  } // prettier-ignore
  const terms = { joinMs: 1, maxCharacters: 40_000, keywords: keywordTerms }
  const [followed] = await inUnit((tx, unit) => receiveMessages(tx, { ids, unit }, [message], terms))
  return followed
}
const send = (to: string) => house.send({ recipients: [{ to, country: null }] })
const mayWrite = async (to: string) => {
  const optOuts = new OptOutCache(house.store.db, numbers)
  return !(await optOuts.find(whose, [to], house.clock.now())).has(to)
}
const outbound = async () =>
  (await readShown(house.store.db))
    .filter(({ direction }) => direction === 'outbound')
    .map(({ recipient, status, error_code, text }) => ({ recipient, status, error_code, text }))
const claim = async () => {
  const nowMs = house.clock.now()
  const request = { ...whose, routeKey: 'live:', deviceId: 'dev_s', quota: 9, partsOver: 0, partsUpTo: 10 } as const // prettier-ignore
  return house.store.writer.write((tx) => claimMessages(tx, ids, { requests: [request], nowMs, dueMs: nowMs, fence: 1 }, changeOnDemand(tx, nowMs))) // prettier-ignore
}

/** [written to, heard from]: networks bring one and take the other. */
const pairs = [
  ['+525512345678', '+5215512345678'],
  ['+525512345678', '5215512345678'],
  ['+541123456789', '+5491123456789'],
  ['+5491123456789', '+541123456789'],
  ['+551198765432', '+5511998765432'],
  ['+5511998765432', '+551198765432'],
  ['+2250707123456', '+22507123456'],
  ['+2290198123456', '+22998123456'],
] as const

test.for(pairs)('who was written to as %s and says STOP as %s has opted out, until START', async ([to, from]) => {
  await send(to)
  const followed = await hear(from, 'Stop. Thank you')
  expect(followed).toMatchObject({ keyword: 'stop', optedOut: [{ accountId: 'acc_a' }] })
  expect(await mayWrite(to)).toBe(false)
  expect(await mayWrite(parseSender(from))).toBe(false)
  const [first, confirmation, ...more] = await outbound()
  expect(first).toMatchObject({ recipient: to, status: 'canceled', error_code: 'recipient_opted_out' })
  expect([confirmation, more]).toMatchObject([{ recipient: to, text: keywordTerms.confirmation }, []])
  await hear(from, 'START')
  expect([await mayWrite(to), await mayWrite(parseSender(from))]).toEqual([true, true])
}) // prettier-ignore

test.for(pairs)('what waits for %s when %s has opted out is canceled by the claim, and its confirmation goes', async ([to, from]) => {
  await send(to)
  await hear(from, 'STOP')
  await house.clock.advance(1)
  await send(to)
  expect((await claim()).claimed).toMatchObject([{ to, text: keywordTerms.confirmation }])
  expect((await outbound()).map(({ status }) => status)).toEqual(['canceled', 'sending', 'canceled'])
}) // prettier-ignore

test.for(pairs)('an opt-out of %s that was stored as it was given holds for %s, and is listed, found and removed once', async ([one, other]) => {
  const [former, twin] = [one, parseSender(other)]
  const at = house.clock.now()
  const row = { account_id: 'acc_a', mode: 'live', recipient: former, created_at: at, origin: 'console' } as const
  await house.store.writer.write((tx) => insertRows(tx, 'opt_outs', [row]))
  expect(await mayWrite(twin)).toBe(false)
  const asked = { ...whose, recipients: [twin, former], origin: 'console' } as const
  expect((await inUnit((tx, unit) => storeOptOuts(tx, { ids, unit }, asked))).added).toEqual([])
  const spellings = everyForm(numbers, twin)
  expect(await listOptOuts(house.store.db, { ...whose, nowMs: at, limit: 9, recipients: spellings })).toMatchObject([{ recipient: former }])
  const by = { ids, nowMs: at + 1, origin: 'console', actor: 'test' } as const
  expect(await house.store.writer.write((tx) => removeOptOut(tx, by, { ...whose, recipient: twin, spellings }))).toBe(true)
  await house.clock.advance(1)
  expect(await mayWrite(former)).toBe(true)
}) // prettier-ignore

test('two spellings of one list are one opt-out, in the present one', async () => {
  const asked = { ...whose, recipients: ['+541123456789', '+5491123456789', '+4915112345678'], origin: 'console' } as const // prettier-ignore
  const { added } = await inUnit((tx, unit) => storeOptOuts(tx, { ids, unit }, asked))
  expect(added).toEqual(['+5491123456789', '+4915112345678'])
})

test('a claim that waited for room hears of an opt-out in the other spelling, from this process and from another', async () => {
  const optOuts = new OptOutCache(house.store.db, numbers)
  const claimed = { ...whose, recipient: '+541123456789', messageId: 'msg_1' }
  const at = { waitedMs: 1_000, monotonicMs: 5_000, nowMs: house.clock.now() }
  expect(await optOuts.hasOptedOut(claimed, at)).toBe(false)
  await inUnit((tx, unit) =>
    storeOptOuts(tx, { ids, unit }, { ...whose, recipients: ['+5491123456789'], origin: 'console' }),
  )
  expect(await optOuts.hasOptedOut(claimed, at)).toBe(true)
  const fresh = new OptOutCache(house.store.db, numbers)
  expect(fresh.isKnownOptedOut(claimed, at)).toBe(false)
  fresh.note({ optedOut: [{ ...whose, recipient: '+5491123456789', confirmationId: null }], optedIn: [] }, 5_000)
  expect(fresh.isKnownOptedOut(claimed, at)).toBe(true)
}) // prettier-ignore

test('HELP is answered once an hour however the number is spelled, and not behind a STOP', async () => {
  await send('+541123456789')
  const answers = async () => (await outbound()).filter(({ text }) => text === keywordTerms.help).map(({ recipient }) => recipient) // prettier-ignore
  await hear('+5491123456789', 'HELP')
  await hear('+541123456789', 'HELP')
  expect(await answers()).toEqual(['+541123456789'])
  await hear('+541123456789', 'STOP')
  await house.clock.advance(2 * 3_600_000)
  await hear('+5491123456789', 'HELP')
  expect(await answers()).toHaveLength(1)
})

test('whoever last wrote to either spelling through a device is whom its answer is for', async () => {
  await send('+541123456789')
  await house.end(await house.claim(), { kind: 'accepted', networkIds: ['1'], receiptExpected: false })
  const asked = { deviceId: 'dev_s', mode: 'live', number: '+5491123456789', sinceMs: 0 } as const
  expect(await findAccountsThatSentTo(house.store.db, asked)).toEqual(['acc_a'])
  const written = { deviceId: 'dev_s', mode: 'live', numbers: ['+5491123456789', '+541123456789'] } as const
  expect(await findNumbersSentTo(house.store.db, written)).toEqual(['+541123456789'])
})

test('both spellings are one conversation, under the one that was heard last', async () => {
  await hear('+541123456789', 'One')
  await hear('+5491123456789', 'Two')
  await send('+541123456789')
  const { conversations } = await readConversations(house.store.db, whose, { beforeId: null, limit: 9 })
  expect(conversations.map(({ number }) => number)).toEqual(['+5491123456789'])
  for (const number of ['+541123456789', '+5491123456789']) {
    const { rows } = await readConversation(house.store.db, whose, { number, beforeId: null, limit: 9 })
    expect(new Set(rows.map(({ text }) => text))).toEqual(new Set(['Hello', 'One', 'Two']))
    expect(rows).toHaveLength(3)
  }
  const heard = house.store.db.selectFrom('messages').select('id').where('text', '=', 'Two')
  const { id: beforeId } = await heard.executeTakeFirstOrThrow()
  const earlier = await readConversations(house.store.db, whose, { beforeId, limit: 9 })
  expect(earlier.conversations).toEqual([])
})

test('a person is erased in both spellings, and stays opted out', async () => {
  await send('+541123456789')
  await hear('+5491123456789', 'STOP')
  await house.clock.advance(1)
  const announceWrite = <T>(atMs: number, write: (timeIn: () => Promise<number>) => Promise<T>) => write(async () => atMs) // prettier-ignore
  const deps = {
    read: house.store.db,
    writer: house.store.writer,
    clock: house.clock,
    ids,
    numbers,
    announceWrite,
  }
  const asked = { number: '+541123456789', accountId: 'acc_a', actor: 'usr_olga', code: 'canceled_by_operator' } as const // prettier-ignore
  await eraseNumber(deps, asked)
  for (const digits of ['541123456789', '5491123456789'])
    expect(await tablesWith(house.store.db, [digits])).toEqual([])
  for (const number of ['+541123456789', '+5491123456789']) expect(await mayWrite(number)).toBe(false)
})

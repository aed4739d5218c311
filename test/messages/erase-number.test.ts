import { afterEach, beforeEach, expect, test } from 'vitest'
import { createIds } from '../../src/runtime/ids.ts'
import { eraseNumber } from '../../src/privacy/erase-number.ts'
import { keepUnmatched } from '../../src/messages/outcomes/unmatched-receipts.ts'
import { OptOutCache } from '../../src/messages/opt-outs/opt-out-cache.ts'
import { receiveMessages } from '../../src/messages/inbound/receive-messages.ts'
import { settleReceipts } from '../../src/messages/outcomes/settle-receipts.ts'
import { createNumberHash } from '../../src/numbers/number-hash.ts'
import { appendAudit } from '../../src/storage/seam/audit-log.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { tablesWith } from './every-cell.ts'
import { type UnitHouse, openUnitHouse } from './unit-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

const number = '+4915112345678'
const [digits, secretText] = [number.slice(1), 'Meet me at the old mill']
const numbers = createNumberHash({ current: 'a secret of this test, long enough', former: [] })

let house: UnitHouse
let ids: ReturnType<typeof createIds>
beforeEach(async () => {
  house = await openUnitHouse()
  ids = createIds({ now: house.clock.now })
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

const send = (more: Parameters<UnitHouse['send']>[0] = {}) =>
  house.send({ text: secretText, clientReference: `for ${number}`, metadata: `{"to":"${number}"}`, ...more })
const receive = (from: string, fragment?: { reference: number; total: number; index: number }) =>
  house.store.writer.write(async (tx) =>
    receiveMessages(
      tx,
      { ids, unit: await takeChange(tx, house.clock.now()) },
      [
        {
          deviceId: 'dev_s', accountId: 'acc_a', mode: 'live', from, to: '+4930123456', country: 'DE', text: secretText, encoding: 'gsm7', units: 23,
          parts: 1, inReplyTo: null, fingerprint: ids('dev'), ...(fragment === undefined ? {} : { fragment }),
        },
      ],
      { joinMs: 60_000, maxCharacters: 40_000 },
    ),
  ) // prettier-ignore
const erase = (accountId: string | null = 'acc_a') =>
  eraseNumber(
    {
      read: house.store.db,
      writer: house.store.writer,
      clock: house.clock,
      ids,
      numbers,
    },
    { number, accountId, actor: 'usr_olga', code: 'canceled_by_operator' },
  )
const messages = () => house.store.db.selectFrom('messages').selectAll().orderBy('id').execute()
const balance = () =>
  house.store.db.selectFrom('wallets').selectAll().where('mode', '=', 'live').executeTakeFirstOrThrow()

/** One in each state that a message rests in, one that waits, one received in each spelling. */
async function fill(): Promise<void> {
  await send({ idempotency: { key: 'order-1', fingerprint: 'f1' } })
  await house.end(await house.claim(), { kind: 'accepted', networkIds: ['n1'], receiptExpected: true })
  await house.receipts({ n1: 'delivered' })
  await send()
  await house.end(await house.claim(), { kind: 'accepted', networkIds: ['n2'], receiptExpected: true })
  await send()
  const refused = {
    kind: 'refused',
    lasts: 'good',
    code: 'network_rejected',
    networkCode: `no ${number}`,
  } as const
  await house.end(await house.claim(), refused)
  await send({ parts: 2 })
  await house.end(await house.claim(), {
    kind: 'unknown',
    networkIds: ['n3'],
    partsTaken: 1,
    detail: 'no answer',
  })
  await send({ idempotency: { key: `to ${number}`, fingerprint: 'f2' } })
  await receive(number)
  await receive(digits)
}

test('a number and its texts are gone from every table, and every sum stays', async () => {
  await fill()
  await receive(number, { reference: 7, total: 2, index: 1 })
  await house.store.writer.write(async (tx) => {
    await insertRows(tx, 'devices', [
      { id: 'dev_s', account_id: 'acc_a', mode: 'live', kind: 'simulator', name: 'S', state: 'enabled', senders: '[]', settings: '{}', created_at: 1, updated_at: 1 },
    ]) // prettier-ignore
    const word = {
      deviceId: 'dev_s',
      networkId: 'n9',
      result: 'delivered',
      code: null,
      networkCode: null,
    } as const
    await keepUnmatched(tx, [{ ...word, numbers: [digits], atMs: house.clock.now() }])
    // Behind more than the look for the answer of a submit would go through.
    const others = Array.from({ length: 10_001 }, (_, i) => ({
      ...word,
      networkId: `other ${i}`,
      numbers: ['15005550006'],
    }))
    await keepUnmatched(
      tx,
      others.map((other) => ({ ...other, atMs: house.clock.now() + 1 })),
    )
    const detail = { format: 'csv', conditions: { number } }
    await appendAudit(
      tx,
      { ids, nowMs: 1 },
      { accountId: 'acc_a', actor: 'cli', action: 'messages.exported', detail },
    )
  })
  const before = await balance()
  expect((await tablesWith(house.store.db, [digits, secretText])).length).toBeGreaterThan(5)

  expect(await erase()).toEqual({ erased: 7, canceled: 1, inFlight: 0, deviceIds: [] })

  expect(await tablesWith(house.store.db, [digits, digits.slice(-7), secretText])).toEqual([])
  expect(await balance()).toMatchObject({ granted: before.granted, used: before.used, reserved: 0 })
  expect((await messages()).map(({ status }) => status)).toContain('canceled')
})

test('what is being handed over is left, counted, and erased when it is asked again', async () => {
  await send()
  const claimed = await house.claim()
  expect(await erase()).toMatchObject({ erased: 0, inFlight: 1 })
  expect(await house.message()).toMatchObject({ recipient: number, text: secretText })
  await house.end(claimed, { kind: 'accepted', networkIds: ['n1'], receiptExpected: false })
  expect(await erase()).toMatchObject({ erased: 1, inFlight: 0 })
  expect(await house.message()).toMatchObject({ recipient: 'erased', status: 'sent', charged: 1 })
  expect(await erase()).toMatchObject({ erased: 0 })
})

test('a receipt finds its erased message, whatever number it names', async () => {
  await send()
  await house.end(await house.claim(), { kind: 'accepted', networkIds: ['n1'], receiptExpected: true })
  await erase()
  const word = {
    deviceId: 'dev_s',
    networkId: 'n1',
    result: 'delivered',
    code: null,
    networkCode: null,
  } as const
  await house.store.writer.write((tx) =>
    settleReceipts(
      tx,
      [{ ...word, numbers: [digits], atMs: house.clock.now() }],
      takeChange(tx, house.clock.now()),
    ),
  )
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 1, recipient: 'erased' })
  expect(await tablesWith(house.store.db, [digits])).toEqual([])
})

test('other numbers, and other accounts unless all are meant, keep theirs', async () => {
  await send({ recipients: [{ to: '+4915112345679', country: 'DE' }] })
  await receive('+4915112345679')
  await send()
  expect(await erase('acc_other')).toMatchObject({ erased: 0 })
  expect(await erase(null)).toMatchObject({ erased: 1 })
  expect((await messages()).filter(({ text }) => text === null).map(({ recipient }) => recipient)).toEqual([
    'erased',
  ])
  expect(await tablesWith(house.store.db, ['+4915112345679'])).toEqual(['messages'])
})

const sayStop = (): Promise<number> =>
  house.store.writer.write((tx) =>
    insertRows(tx, 'opt_outs', [
      { account_id: 'acc_a', mode: 'live', recipient: number, created_at: 1, forget_at: null },
    ]),
  )

test('who said STOP stays protected, under a hash, however often the secret has changed since', async () => {
  await sayStop()
  await erase()
  expect(await tablesWith(house.store.db, [digits])).toEqual([])
  const find = (all: typeof numbers) =>
    new OptOutCache(house.store.db, all).find(
      { accountId: 'acc_a', mode: 'live' },
      [number, '+4915112345679'],
      2,
    )
  expect([...(await find(numbers))]).toEqual([number])
  const current = 'another secret of this test, as long'
  const former = ['one in between, as long as it must be', 'a secret of this test, long enough']
  const renewed = createNumberHash({ current, former })
  expect([...(await find(renewed))]).toEqual([number])
})

test('while something is being handed over to it, a number that said STOP is known to claims too', async () => {
  await send()
  const claimed = await house.claim()
  await sayStop()
  await erase()
  await house.end(claimed, { kind: 'unavailable', detail: 'gone' })
  await house.clock.advance(120_000)
  await expect(house.claim()).rejects.toThrow('nothing to claim')
  await erase()
  expect(await tablesWith(house.store.db, [digits])).toEqual([])
})

test('a send that is repeated after it was erased is refused as another, not sent again', async () => {
  const idempotency = { key: 'order-1', fingerprint: 'f1' }
  await send({ idempotency })
  await erase()
  expect(await send({ idempotency })).toMatchObject({ kind: 'replayed', replay: { fingerprint: 'erased' } })
})

test('the audit log says that it was done, and of which number only a hash', async () => {
  await fill()
  await erase()
  const entry = await house.store.db
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'number.erased')
    .executeTakeFirstOrThrow()
  expect(entry).toMatchObject({ actor: 'usr_olga', account_id: 'acc_a' })
  expect(JSON.parse(entry.detail)).toEqual({
    number: numbers.of(number).slice(5, 21),
    erased: 7,
    canceled: 1,
    handedOver: 0,
  })
})

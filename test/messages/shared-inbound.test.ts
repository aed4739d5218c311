import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import type { Inbound } from '../../src/connectors/connector.ts'
import { InboundReceiver } from '../../src/dispatch/inbound/inbound-receiver.ts'
import { findLastAccountThatSentTo } from '../../src/messages/inbound/accounts-that-sent.ts'
import { findNumbersSentTo } from '../../src/messages/inbound/numbers-sent-to.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { deliveredAt, failedAt, storedMessage } from '../history/stored-messages.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

/** What reaches a device that every account may use: whose is it? */

const number = '+4915112345678'
let house: TestStorage
let told = 0
beforeEach(async () => {
  house = await openTestStorage()
  const at = house.clock.now()
  const rows = ['acc_ada', 'acc_ben'].map((id) => ({
    id,
    name: id,
    state: 'active' as const,
    created_at: at,
    updated_at: at,
  }))
  await house.storage.writer.write((tx) => insertRows(tx, 'accounts', rows))
})
afterEach(() => house.close())

const receive = async (more: Partial<Inbound> = {}, sharedReplyDays = 30): Promise<void> => {
  const { storage, ids, clock } = house
  const receiver = new InboundReceiver({
    read: storage.read,
    writer: storage.writer,
    ids,
    clock,
    config: { inboundJoinMinutes: 30, inboundCharacters: 40_000, inboundPerMinute: 0, sharedReplyDays },
    pool: {
      get: () => ({ facts: { accountId: null, mode: 'live', senders: new Set() }, link: {} }) as never,
    },
  })
  const fingerprint = `f${told++}`
  const inbound = {
    from: number,
    to: '12345',
    text: 'Yes',
    networkAt: house.clock.now(),
    inReplyTo: null,
    fingerprint,
  }
  await receiver.receive('dev_1', { ...inbound, ...more })
}
/** A message that was delivered through the shared device so long ago. */
const sent = async (account: string, agoMs: number, more: Partial<MessageRow> = {}): Promise<MessageRow> => {
  const at = house.clock.now() - agoMs
  const id = house.ids('msg')
  const row = storedMessage({ account_id: account, id, created_at: at, ...deliveredAt(at), ...more })
  await house.storage.writer.write((tx) => insertRows(tx, 'messages', [row]))
  return row
}
/** A message that the shared device has been given so long ago, and that nothing is known of. */
const inFlight = async (account: string, agoMs: number): Promise<void> => {
  const open = { sent_at: null, delivered_at: null, finalized_at: null, settled_at: null, parts_sent: 0, charged: 0, device_id: null } // prettier-ignore
  const { account_id, mode, id } = await sent(account, agoMs, { ...open, status: 'queued', cost_state: 'held', attempts: 0 }) // prettier-ignore
  const attempt = { number: 1, id: house.ids('att'), device_id: 'dev_1', fence: 1, state: 'handing_over', started_at: house.clock.now() - agoMs } as const // prettier-ignore
  await house.storage.writer.write((tx) =>
    insertRows(tx, 'attempts', [{ account_id, mode, message_id: id, ...attempt }]),
  )
}
const owners = async (): Promise<string[]> =>
  (
    await house.storage.read
      .selectFrom('messages')
      .select('account_id')
      .where('direction', '=', 'inbound')
      .orderBy('id')
      .execute()
  ).map((row) => row.account_id)

test('an answer is for the account that last sent to the number through the device', async () => {
  await sent('acc_ada', 1_000)
  await sent('acc_ben', 2_000)
  await receive()
  await sent('acc_ben', 500)
  await receive()
  expect(await owners()).toEqual(['acc_ada', 'acc_ben'])
})

test('whichever spelling of the number was sent to, the last account counts', async () => {
  const [present, former] = ['+5491123456789', '+541123456789']
  await sent('acc_ada', 2_000, { recipient: present })
  await sent('acc_ben', 1_000, { recipient: former })
  await receive({ from: present })
  await sent('acc_ada', 500, { recipient: present })
  await receive({ from: present })
  expect(await owners()).toEqual(['acc_ben', 'acc_ada'])
})

test('a text is kept without what no database takes: control characters and half surrogate pairs', async () => {
  await sent('acc_ada', 1_000)
  await receive({ text: 'a\u0000b\u001b[2J\ud83d\n\tc' })
  const kept = house.storage.read.selectFrom('messages').select('text').where('direction', '=', 'inbound')
  expect(await kept.execute()).toEqual([{ text: 'ab[2J\ufffd\n\tc' }])
})

test('a message that is told again is known by the name that it had before, for as long as that counts', async () => {
  await sent('acc_ada', 1_000)
  const again = (fingerprint: string, former: string, afterMs: number) =>
    receive({ fingerprint, formerFingerprint: { name: former, afterMs } })
  await receive({ fingerprint: 'hello.1' })
  const at = house.clock.now()
  await again('hello.2', 'hello.1', at - 1)
  expect(await owners()).toHaveLength(1)
  // Under its new name it is known from then on.
  await receive({ fingerprint: 'hello.2' })
  expect(await owners()).toHaveLength(1)
  await again('hello.3', 'hello.2', at)
  expect(await owners()).toHaveLength(2)
})

test('when it was sent counts, not when it was created', async () => {
  const wasPlanned = { created_at: house.clock.now() - 20 * dayMs }
  await sent('acc_ada', 1_000, wasPlanned)
  await sent('acc_ben', 2_000)
  await receive()
  expect(await owners()).toEqual(['acc_ada'])
})

test('a message that is in the hands of the device, or may have arrived, is enough', async () => {
  const open = { sent_at: null, delivered_at: null, parts_sent: 0, charged: 0 }
  await sent('acc_ben', 2_000)
  await inFlight('acc_ada', 1_000)
  await receive()
  await sent('acc_ben', 500, { ...open, status: 'unconfirmed' })
  await receive()
  expect(await owners()).toEqual(['acc_ada', 'acc_ben'])
})

test('a number without its plus sign is the same one', async () => {
  await sent('acc_ada', 1_000)
  await receive({ from: number.slice(1) })
  expect(await owners()).toEqual(['acc_ada'])
})

test.for([
  ['that came through another device', { device_id: 'dev_2' }],
  ['to another number', { recipient: '+4915112345679' }],
  ['that the device refused', { ...failedAt(1, 'blocked'), sent_at: null, delivered_at: null }],
  ['of the other mode', { mode: 'test' }],
] as const)('a message %s makes nobody its owner', async ([, more]) => {
  await sent('acc_ada', 1_000, more)
  await receive()
  expect(await owners()).toEqual([])
})

test('it is 30 days ago at most', async () => {
  await sent('acc_ada', 30 * dayMs + 1)
  await receive()
  expect(await owners()).toEqual([])
  await sent('acc_ben', 30 * dayMs)
  await receive()
  expect(await owners()).toEqual(['acc_ben'])
})

test('or as many as the operator says, and with 0 nothing is guessed', async () => {
  await sent('acc_ada', dayMs + 1)
  await receive({}, 1)
  await receive({}, 0)
  expect(await owners()).toEqual([])
  await receive({}, 2)
  expect(await owners()).toEqual(['acc_ada'])
})

test('what names the message that it answers is for its account, whoever sent last', async () => {
  const part = {
    network_id: 'sim_1', device_id: 'dev_1', account_id: 'acc_ada', mode: 'live', message_id: 'msg_1', attempt_number: 1, wire_parts: 1, sent_at: 1,
  } as const // prettier-ignore
  await house.storage.writer.write((tx) => insertRows(tx, 'receipts_expected', [part, { ...part, network_id: 'sim_2', device_id: 'dev_2' }])) // prettier-ignore
  await sent('acc_ben', 1_000)
  await receive({ inReplyTo: 'sim_1' })
  await receive({ inReplyTo: 'sim_2' })
  expect(await owners()).toEqual(['acc_ada'])
})

test('what answers before the outcome is stored is for the account of the open attempt', async () => {
  const open = {
    number: 1,
    id: 'att_open',
    device_id: 'dev_1',
    fence: 1,
    state: 'handing_over',
    started_at: 1,
  } as const
  await house.storage.writer.write((tx) =>
    insertRows(tx, 'attempts', [{ account_id: 'acc_ada', mode: 'live', message_id: 'msg_1', ...open }]),
  )
  await sent('acc_ben', 1_000)
  await receive({ inReplyTo: 'sim_open', inReplyToAttempt: 'att_open' })
  expect(await owners()).toEqual(['acc_ada'])
})

test('a long answer is for the account that had sent when its pieces came', async () => {
  const piece = (index: number) =>
    receive({ fragment: { reference: 7, total: 2, index }, text: `part ${index} ` })
  await sent('acc_ada', 1_000)
  await piece(2)
  await piece(1)
  expect(await owners()).toEqual(['acc_ada'])
})

test('also when only its later pieces came after something was sent', async () => {
  const piece = (index: number) =>
    receive({ fragment: { reference: 7, total: 2, index }, text: `part ${index} ` })
  await piece(1)
  await sent('acc_ada', 0)
  await piece(2)
  expect(await owners()).toEqual(['acc_ada'])
})

const addOperator = () =>
  house.storage.writer.write(async (tx) => {
    const at = house.clock.now()
    const users = (['usr_1', 'usr_2'] as const).map((id, i) => ({
      id,
      email: `${id}@example.org`,
      name: id,
      is_operator: i as 0 | 1,
      created_at: at,
    }))
    const accounts = ['acc_old', 'acc_op', 'acc_op2'].map((id, i) => ({
      id,
      name: id,
      state: id === 'acc_old' ? ('closed' as const) : ('active' as const),
      created_at: at + i,
      updated_at: at,
    }))
    await insertRows(tx, 'users', users)
    await insertRows(tx, 'accounts', accounts)
    await insertRows(tx, 'account_users', [
      { account_id: 'acc_ada', user_id: 'usr_1', role: 'owner' },
      { account_id: 'acc_ben', user_id: 'usr_2', role: 'member' },
      ...accounts.map(({ id }) => ({ account_id: id, user_id: 'usr_2', role: 'owner' as const })),
    ])
  })

test('what is for nobody is for the first open account of the operator, also when its pieces never all came', async () => {
  await addOperator()
  await sent('acc_ada', 30 * dayMs + 1)
  await receive()
  await receive({ inReplyTo: 'sim_unknown' })
  await receive({}, 0)
  expect(await owners()).toEqual(['acc_op', 'acc_op', 'acc_op'])
  await receive({ fragment: { reference: 7, total: 2, index: 1 } })
  await sent('acc_ada', 1_000)
  await receive({ fragment: { reference: 7, total: 2, index: 2 } })
  expect((await owners()).at(-1)).toBe('acc_ada')
})

describe.each(['fresh', 'analysed'])('on %s tables', (state) => {
  test('it is looked up by the number, and no message of another number is read', async () => {
    for (let i = 0; i < 40; i += 1)
      await sent(i % 2 ? 'acc_ada' : 'acc_ben', i, { recipient: `+49151123456${i}` })
    if (state === 'analysed') await house.storage.writer.write(analyse)
    const { read } = house.storage
    const statements = await statementsOf(read, () =>
      findLastAccountThatSentTo(read, { deviceId: 'dev_1', mode: 'live', number, sinceMs: 0 }),
    )
    const ofMessages = (await stepsOf(house.dataFolder, statements[0]!)).filter((step) =>
      /\bm\b|messages/.test(step),
    )
    expect(ofMessages).toEqual([
      isPostgres
        ? 'SEARCH messages BY messages_by_recipient (recipient= account_id= mode=)'
        : 'SEARCH m USING INDEX messages_by_recipient (recipient=? AND account_id=? AND mode=?)',
    ])
  })

  test('the number that a device has written to and that ends so is looked up by each that may be, and nothing else is read', async () => {
    for (let i = 0; i < 40; i += 1)
      await sent(i % 2 ? 'acc_ada' : 'acc_ben', i, { recipient: `+49151123456${i}` })
    if (state === 'analysed') await house.storage.writer.write(analyse)
    const { read } = house.storage
    const statements = await statementsOf(read, () =>
      findNumbersSentTo(read, { deviceId: 'dev_1', mode: 'live', numbers: [number] }),
    )
    const steps = (await stepsOf(house.dataFolder, statements[0]!)).filter((step) => /messages/.test(step))
    expect(steps).not.toEqual([])
    for (const step of steps) expect(step).toMatch(/messages_by_recipient/)
  })
})

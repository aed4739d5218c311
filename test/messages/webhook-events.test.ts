import { afterEach, beforeEach, expect, test } from 'vitest'
import { advanceMessages } from '../../src/messages/core/advance-messages.ts'
import { realKinds } from '../../src/connectors/registry.ts'
import { cancelWaiting, expireWaiting } from '../../src/messages/queue/finish-queued.ts'
import { closeReceipts } from '../../src/messages/outcomes/close-receipts.ts'
import { recordEvents } from '../../src/messages/core/events.ts'
import { type MessageState, readStates } from '../../src/messages/core/message-store.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import { isId, timeOfId } from '../../src/runtime/ids.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import type { Mode } from '../../src/storage/tables/schema.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { statementsOf } from '../plans.ts'
import { changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'

let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture()
  await house.addAccount('acc_a', 100)
  await house.addAccount('acc_b', 100)
})
afterEach(() => house.close())

const addEndpoint = (
  accountId: string,
  id: string,
  {
    mode = null,
    types = [],
    state = 'enabled',
  }: { mode?: Mode | null; types?: string[]; state?: 'enabled' | 'disabled' } = {},
) =>
  house.storage.writer.write(async (tx) => {
    const nowMs = house.clock.now()
    await insertRows(tx, 'webhook_endpoints', [
      {
        account_id: accountId,
        id,
        url: 'https://example.com/',
        mode,
        state,
        secret: 'sealed',
        created_at: nowMs,
        updated_at: nowMs,
        disabled_because: state === 'disabled' ? 'person' : null,
      },
    ])
    await insertRows(
      tx,
      'webhook_endpoint_types',
      types.map((type) => ({ account_id: accountId, endpoint_id: id, type })),
    )
  })

const expireAt = (tx: Tx, nowMs: number) =>
  expireWaiting(tx, { nowMs, take: changeOnDemand(tx, nowMs) }, 10, realKinds)

const events = () =>
  house.storage.read.selectFrom('webhook_events').selectAll().orderBy('at').orderBy('sequence').execute()
const told = async (): Promise<string[]> =>
  (await events()).map(({ type, sequence, previous_status }) => `${sequence} ${previous_status} > ${type}`)
const deliveries = () =>
  house.storage.read.selectFrom('webhook_deliveries').selectAll().orderBy('endpoint_id').execute()

test('accounts without endpoints leave nothing in the outbox, and a batch of them asks once', async () => {
  await addEndpoint('acc_b', 'whk_b')
  const batch = [house.request({ to: ['+4915112345678', '+4915112345679'] }), house.request()]
  const statements = await house.storage.writer.write((tx) =>
    statementsOf(tx, () => sendMessages(tx, batch, takeChange(tx, house.clock.now()))),
  )
  expect(statements.filter(({ sql }) => sql.includes('webhook'))).toHaveLength(1)
  await house.addDevice('dev_s')
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent', 'sent', 'sent'])
  expect(await events()).toEqual([])
  expect(await deliveries()).toEqual([])
})

test('of a move that fails nothing is told, whatever else shares its transaction', async () => {
  await addEndpoint('acc_a', 'whk_a')
  await house.send()
  const before = await events()
  const { read, writer } = house.storage
  const { id } = await read.selectFrom('messages').select('id').executeTakeFirstOrThrow()
  const failing = writer.write(async (tx) => {
    const [state] = await readStates(tx, [{ accountId: 'acc_a', mode: 'live', messageId: id }])
    const message = { ...(state as MessageState), sequence: 7 }
    return advanceMessages(tx, await takeChange(tx, house.clock.now()), [
      {
        message,
        trigger: 'canceled',
        atMs: house.clock.now(),
        error: { code: 'account_closed', networkCode: null },
      },
    ])
  })
  const beside = writer.write((tx) => tx.selectFrom('accounts').select('id').execute())
  await expect(failing).rejects.toThrow('another unit moved a message')
  await beside
  expect(await events()).toEqual(before)
})

test('a message is told from its acceptance to its delivery, with each state as it stood, and `sending` to nobody', async () => {
  await addEndpoint('acc_a', 'whk_a')
  await house.addDevice('dev_s')
  await house.send({ parts: 3 })
  await house.dispatcher.drain()
  await house.clock.advance(3_000)
  await expect.poll(() => house.statuses()).toEqual(['delivered'])
  expect(await told()).toEqual(['1 null > message.queued', '3 sending > message.sent', '4 sent > message.delivered'])
  expect(await events()).toMatchObject([
    { status: 'queued', charged: 0, cost_state: 'held', attempts: 0, device_id: null, sent_at: null, facts: null },
    { status: 'sent', charged: 3, cost_state: 'charged', attempts: 1, device_id: 'dev_s', delivered_at: null },
    { status: 'delivered', parts_sent: 3, finalized_at: house.clock.now() },
  ])
  const rows = await deliveries()
  expect(rows).toHaveLength(3)
  expect(new Set(rows.map(({ outcome, due_at }) => `${outcome} ${due_at}`))).toEqual(new Set(['null 0']))
}) // prettier-ignore

test('an id tells when it happened, is the same whoever records the same, and another one for another state', async () => {
  await addEndpoint('acc_a', 'whk_a')
  await addEndpoint('acc_a', 'whk_c')
  await house.send()
  const [event] = await events()
  expect(isId('evt', event!.id)).toBe(true)
  expect(timeOfId(event!.id)).toBe(event!.at)
  expect((await deliveries()).map(({ event_id }) => event_id)).toEqual([event!.id, event!.id])
  const happened = {
    type: 'balance.low',
    accountId: 'acc_a',
    mode: 'live',
    atMs: 5,
    subject: 'live',
    facts: { available: 4 },
  } as const
  const write = (more = {}) =>
    house.storage.writer.write((tx) => recordEvents(tx, [{ ...happened, ...more }]))
  await write()
  await write()
  await write({ subject: 'test' })
  const low = (await events()).filter(({ type }) => type === 'balance.low')
  expect(low).toHaveLength(2)
  expect(low[0]).toMatchObject({ facts: '{"available":4}', sequence: 5, message_id: null, status: null })
})

test('an endpoint is told of what it chose: the account, the mode, the types, and only while it is enabled', async () => {
  await addEndpoint('acc_a', 'whk_both')
  await addEndpoint('acc_a', 'whk_test', { mode: 'test' })
  await addEndpoint('acc_a', 'whk_failed', { types: ['message.failed', 'message.canceled'] })
  await addEndpoint('acc_a', 'whk_off', { state: 'disabled' })
  await addEndpoint('acc_b', 'whk_other')
  await house.send()
  expect((await deliveries()).map((row) => row.endpoint_id)).toEqual(['whk_both'])
  await house.send({ mode: 'test' })
  expect((await deliveries()).map((row) => row.endpoint_id)).toEqual(['whk_both', 'whk_both', 'whk_test'])
  await house.storage.writer.write(async (tx) =>
    cancelWaiting(
      tx,
      await takeChange(tx, house.clock.now() + 1),
      { accountId: 'acc_a' },
      { trigger: 'canceled', code: 'account_closed' },
      10,
    ),
  )
  expect((await deliveries()).map((row) => row.endpoint_id)).toEqual([
    'whk_both',
    'whk_both',
    'whk_both',
    'whk_both',
    'whk_failed',
    'whk_failed',
    'whk_test',
    'whk_test',
  ])
})

test('what ends while it waits, and a receipt that never came, are told like everything else', async () => {
  await addEndpoint('acc_a', 'whk_a')
  await house.send({ expiresAt: house.clock.now() + 60_000 })
  house.clock.jumpWallClock(60_000)
  await house.storage.writer.write((tx) => expireAt(tx, house.clock.now()))
  expect(await told()).toEqual(['1 null > message.queued', '2 queued > message.expired'])
  await house.addDevice('dev_s', { settings: { drop_receipts: 'true' } })
  await house.send()
  await house.dispatcher.drain()
  const late = await house.storage.read.selectFrom('receipts_expected').selectAll().executeTakeFirstOrThrow()
  await house.storage.writer.write(async (tx) =>
    closeReceipts(tx, await takeChange(tx, house.clock.now() + 1_000), [
      {
        accountId: late.account_id,
        mode: late.mode,
        messageId: late.message_id,
        networkId: late.network_id,
        deviceId: late.device_id,
        attemptNumber: late.attempt_number,
        wireParts: late.wire_parts,
      },
    ]),
  )
  const unconfirmed = (await events()).find(({ type }) => type === 'message.unconfirmed')
  expect(unconfirmed).toMatchObject({ previous_status: 'sent', error_code: 'receipt_missing', correction: 0 })
})

test('an event is in the transaction of what it tells: where that is rolled back there is none', async () => {
  await addEndpoint('acc_a', 'whk_a')
  await house.send()
  const before = await events()
  const undone = house.storage.writer.write(async (tx) => {
    await expireAt(tx, house.clock.now() + 86_400_000)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await events()).toEqual(before)
})

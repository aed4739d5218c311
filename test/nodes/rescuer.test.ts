import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import type { Settlement } from '../../src/messages/outcomes/settlement.ts'
import { settleReceipts } from '../../src/messages/outcomes/settle-receipts.ts'
import { beatNode, joinNodes } from '../../src/storage/instance/nodes.ts'
import { usualTimes } from '../../src/runtime/times.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
  await house.addDevice('dev_s', { settings: { offline: 'true' } })
})
afterEach(async () => {
  await expectSums(house.storage.read, house.clock.now())
  await house.close()
})

const join = (epoch: number, before: number | null = null): Promise<void> =>
  house.storage.writer.write((tx) =>
    joinNodes(tx, house.clock, { epoch, name: `n${epoch}`, before, isAlone: false, tidies: true }),
  )
const beat = (epoch: number) =>
  house.storage.writer.write((tx) =>
    beatNode(tx, house.clock, { epoch, name: `n${epoch}`, tidies: true, marks: ['m'] }),
  )
/** By the database's own time: what the node has said moves back. */
const keepSilent = async (epoch: number): Promise<void> => {
  await house.storage.writer.write((tx) =>
    tx
      .updateTable('nodes')
      .set({ beat_at: sql`beat_at - ${usualTimes.silenceMs}` })
      .where('epoch', '=', epoch)
      .execute(),
  )
}
const rescueAs = (fence: number, before: number | null = null): Promise<void> =>
  house.janitors({ fence, before, node: { isAlone: false } }).rescuer.sweepAll()

test('what a living node hands over is nobody else’s to end, whichever of them began first', async () => {
  await Promise.all([join(1), join(2), join(3)])
  await house.send()
  expect(await house.claimAndDie(1)).toBe(1)
  await house.send()
  expect(await house.claimAndDie(3)).toBe(1)
  await rescueAs(2)
  expect(await house.statuses()).toEqual(['sending', 'sending'])
})

test('once a node has been silent for 45 s, another one ends what it had open, and that of no other', async () => {
  await Promise.all([join(1), join(2), join(3)])
  await house.send()
  await house.claimAndDie(1)
  await house.send()
  await house.claimAndDie(3)
  await keepSilent(3)
  await rescueAs(2)
  expect(await house.statuses(), 'nobody has said yet that it is dead').toEqual(['sending', 'sending'])
  await beat(2)
  await rescueAs(2)
  expect(await house.statuses()).toEqual(['sending', 'unconfirmed'])
})

test('a node that was taken for dead claims nothing until it has said that it lives, and then keeps what it claims', async () => {
  await Promise.all([join(1), join(2)])
  await house.send()
  await keepSilent(1)
  await beat(2)
  expect(await house.claimAndDie(1)).toBe(0)
  expect(await beat(1)).toMatchObject({ wasSilenced: true })
  expect(await house.claimAndDie(1)).toBe(1)
  await rescueAs(2)
  expect(await house.statuses()).toEqual(['sending'])
})

test('what a start in the same folder follows is left to it for a moment: its log may know more', async () => {
  await Promise.all([join(1), join(2)])
  await house.send()
  await house.claimAndDie(1)
  await join(3, 1)
  await rescueAs(2)
  expect(await house.statuses()).toEqual(['sending'])
  await rescueAs(3, 1)
  expect(await house.statuses()).toEqual(['unconfirmed'])
})

const firstAttempt = async (): Promise<string> =>
  (
    await house.storage.read
      .selectFrom('attempts')
      .select('id')
      .where('number', '=', 1)
      .executeTakeFirstOrThrow()
  ).id

/** Node 1 claims a message and stands still; node 2 ends its hand-over. */
async function endForAnother(sent: Parameters<TendedHouse['send']>[0]): Promise<void> {
  await Promise.all([join(1), join(2)])
  await house.send(sent)
  await house.claimAndDie(1)
  await keepSilent(1)
  await beat(2)
  await rescueAs(2)
}

test('the result of a node that stood still, told after its hand-over was ended for it, is kept and starts nothing', async () => {
  await endForAnother({ onUnknown: 'resend_once' })
  expect(await house.statuses()).toEqual(['queued'])
  const position = await house.storage.read
    .selectFrom('queue')
    .select(['route_key', 'priority', 'due_at', 'refusals'])
    .executeTakeFirstOrThrow()
  const { id } = await house.message()
  const told: Settlement = {
    accountId: 'acc_a', mode: 'live', messageId: id, attemptId: await firstAttempt(), attemptNumber: 1, deviceId: 'dev_s', position, end: null,
    attemptState: 'refused', atMs: house.clock.now(), outcome: 'throttled', networkIds: [], receiptExpected: false, partsTaken: 0,
    error: { code: 'throttled', networkCode: '88' }, requeue: { dueAt: house.clock.now(), refusals: 1 }, possibleDuplicate: false,
  } // prettier-ignore
  const results = await house.storage.writer.write((tx) =>
    settleOutcomes(tx, [told], takeChange(tx, house.clock.now())),
  )
  expect(results).toEqual([null])
  expect(await house.storage.read.selectFrom('queue').select('refusals').execute()).toEqual([
    { refusals: position.refusals },
  ])
  const attempts = await house.storage.read.selectFrom('attempts').select(['number', 'outcome']).execute()
  expect(attempts).toEqual([{ number: 1, outcome: 'throttled' }])
})

/** What node 1 finds in its socket once it goes on: the network had taken every part. */
async function goOnWithYes(networkIds: readonly string[]): Promise<void> {
  const { id } = await house.message()
  const told: Settlement = {
    accountId: 'acc_a', mode: 'live', messageId: id, attemptId: await firstAttempt(), attemptNumber: 1, deviceId: 'dev_s', end: null, attemptState: 'accepted',
    position: { route_key: routeKeyOf({ mode: 'live', sender: null }), priority: 1, due_at: house.clock.now(), refusals: 0 }, atMs: house.clock.now(),
    outcome: 'accepted', networkIds, receiptExpected: true, partsTaken: networkIds.length, error: null, requeue: null, possibleDuplicate: false,
  } // prettier-ignore
  await house.storage.writer.write((tx) => settleOutcomes(tx, [told], takeChange(tx, house.clock.now())))
}

const arrives = (networkIds: readonly string[]): Promise<unknown> =>
  house.storage.writer.write((tx) =>
    settleReceipts(
      tx,
      networkIds.map((networkId) => ({
        deviceId: 'dev_s',
        networkId,
        result: 'delivered',
        code: null,
        networkCode: null,
        atMs: house.clock.now(),
      })),
      takeChange(tx, house.clock.now()),
    ),
  )

test('a yes of a node that stood still takes the second try out of the queue, and charges once', async () => {
  await endForAnother({ onUnknown: 'resend_once', parts: 2 })
  await goOnWithYes(['n1', 'n2'])
  expect(await house.message()).toMatchObject({ status: 'sent', charged: 2, attempts: 1, finalized_at: null })
  expect(await house.countOf('queue')).toBe(0)
  expect(await house.claimAndDie(2)).toBe(0)
  await arrives(['n1', 'n2'])
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 2, corrected: 0 })
})

test('a yes of a node that stood still leaves nothing in doubt of a message that was unconfirmed meanwhile', async () => {
  await endForAnother({ onUnknown: 'stop', parts: 2 })
  expect(await house.statuses()).toEqual(['unconfirmed'])
  await goOnWithYes(['n1', 'n2'])
  await arrives(['n1', 'n2'])
  expect(await house.message()).toMatchObject({ status: 'delivered', charged: 0, corrected: 1 })
})

import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Submission, Outcome } from '../../src/connectors/connector.ts'
import { openMessagesFixture, type MessagesFixture } from '../messages-fixture.ts'
import { scriptedKind } from './scripted-kind.ts'
import { accepted, unknown } from '../messages/outcomes.ts'
import { firstOf, readShown } from '../messages/shown-messages.ts'

const submitted: Submission[] = []
let answer: (submission: Submission) => Outcome

/** A link that says what the test wants. */
const kind = scriptedKind({
  submit: async (submission) => {
    submitted.push(submission)
    return answer(submission)
  },
})

let house: MessagesFixture
beforeEach(async () => {
  submitted.length = 0
  answer = () => unknown()
  house = await openMessagesFixture(kind)
  await house.addAccount('acc_a', 20)
  await house.addDevice('dev_s')
})
afterEach(() => house.close())

const message = async () => firstOf(await readShown(house.storage.read))
const attempt = () =>
  house.storage.read.selectFrom('attempts').selectAll().orderBy('number').executeTakeFirstOrThrow()
const wallet = () =>
  house.storage.read
    .selectFrom('wallets')
    .select(['reserved', 'used'])
    .where('mode', '=', 'live')
    .executeTakeFirstOrThrow()
const lastId = (): string => submitted.at(-1)?.attemptId ?? ''
const deliver = (networkId: string) =>
  house.dispatcher.receipt('dev_s', { networkId, result: 'delivered', code: null, networkCode: null })

async function sendDoubtful(row: Parameters<MessagesFixture['send']>[0] = {}): Promise<void> {
  await house.send(row)
  await house.dispatcher.drain()
}

test('a late yes calls an unconfirmed message sent, as a correction, and moves no money', async () => {
  await sendDoubtful({ parts: 2 })
  expect(await message()).toMatchObject({ status: 'unconfirmed', charged: 0, cost_state: 'released' })
  const { finalized_at: finalizedAt } = await message()
  await house.clock.advance(5_000)
  await house.dispatcher.lateOutcome('dev_s', lastId(), accepted('n1', 'n2'))
  expect(await message()).toMatchObject({
    status: 'sent',
    corrected: 1,
    charged: 0,
    cost_state: 'released',
    finalized_at: finalizedAt,
    error_code: null,
  })
  expect(await wallet()).toEqual({ reserved: 0, used: 0 })
  expect(await attempt()).toMatchObject({ state: 'accepted', network_ids: '["n1","n2"]' })
  await deliver('n1')
  expect(await message()).toMatchObject({ status: 'sent' })
  await deliver('n2')
  expect(await message()).toMatchObject({ status: 'delivered', charged: 0 })
})

test('a receipt that came before the late yes is found by it', async () => {
  await sendDoubtful()
  await deliver('n1')
  expect(await message()).toMatchObject({ status: 'unconfirmed' })
  await house.dispatcher.lateOutcome('dev_s', lastId(), accepted('n1'))
  expect(await message()).toMatchObject({ status: 'delivered', corrected: 1, charged: 0 })
})

test.for([
  ['before the late yes', ['early', 'late', 'last']],
  ['after it', ['late', 'early', 'last']],
  ['as the last', ['late', 'last', 'early']],
])('a part that was known to be taken counts when its receipt comes %s', async ([, order]) => {
  answer = () => unknown('early')
  await sendDoubtful({ parts: 2 })
  expect(await message()).toMatchObject({ status: 'unconfirmed', charged: 1 })
  for (const step of order as string[]) {
    expect((await message()).status).not.toBe('delivered')
    if (step === 'late') await house.dispatcher.lateOutcome('dev_s', lastId(), accepted('early', 'last'))
    else await deliver(step)
  }
  expect(await message()).toMatchObject({ status: 'delivered', charged: 1, corrected: 1 })
  expect(await house.storage.read.selectFrom('receipts_expected').selectAll().execute()).toEqual([])
})

test('an id that went to another message since is left to it', async () => {
  answer = () => unknown('n1')
  await sendDoubtful({ parts: 2 })
  const first = lastId()
  answer = () => accepted('n1')
  await sendDoubtful()
  await house.dispatcher.lateOutcome('dev_s', first, accepted('n1', 'n2'))
  await deliver('n1')
  // The receipt of its first part is lost.
  expect(await house.statuses()).toEqual(['unconfirmed', 'delivered'])
})

test.for([
  ['for good', { kind: 'refused', lasts: 'good', code: 'number_invalid', networkCode: '11' }, 'number_invalid'],
  ['for now', { kind: 'refused', lasts: 'now', code: 'network_congested', networkCode: '8' }, 'network_congested'],
  ['as busy', { kind: 'refused', lasts: 'busy', code: 'network_congested', networkCode: '88' }, 'network_congested'],
  ['as unreachable', { kind: 'unavailable', detail: 'gone' }, 'unavailable'],
] as const satisfies [string, Outcome, string][])(
  'a late no %s leaves the message unconfirmed, is written down, and sends nothing again',
  async ([, outcome, word]) => {
    await sendDoubtful()
    await house.dispatcher.lateOutcome('dev_s', lastId(), outcome)
    await house.clock.advance(120_000)
    await house.dispatcher.drain()
    expect(await message()).toMatchObject({ status: 'unconfirmed', error_code: 'device_unresponsive', charged: 0 })
    expect(await attempt()).toMatchObject({ state: 'refused', outcome: word })
    expect(submitted).toHaveLength(1)
  },
) // prettier-ignore

test('a late yes to the first of two tries counts while nobody knows of the second, and so do its receipts', async () => {
  const outcomes = [unknown(), unknown()]
  answer = () => outcomes.shift() ?? unknown()
  await sendDoubtful({ onUnknown: 'resend_once' })
  expect(submitted).toHaveLength(2)
  await house.dispatcher.lateOutcome('dev_s', submitted[0]?.attemptId ?? '', accepted('n1'))
  expect(await message()).toMatchObject({ status: 'sent', attempts: 2, corrected: 1 })
  expect(await attempt()).toMatchObject({ number: 1, state: 'accepted' })
  await deliver('n1')
  expect(await message()).toMatchObject({ status: 'delivered', corrected: 1 })
  expect(submitted).toHaveLength(2)
})

test('a late word counts once, and only on a hand-over that was told unknown', async () => {
  await sendDoubtful()
  await house.dispatcher.lateOutcome('dev_s', lastId(), {
    kind: 'refused',
    lasts: 'good',
    code: 'number_invalid',
    networkCode: null,
  })
  await house.dispatcher.lateOutcome('dev_s', lastId(), accepted('n1'))
  expect(await message()).toMatchObject({ status: 'unconfirmed' })
  await house.dispatcher.lateOutcome('dev_s', 'att_of_nobody', accepted('n2'))
  answer = () => accepted('n3')
  await sendDoubtful()
  await house.dispatcher.lateOutcome('dev_s', lastId(), {
    kind: 'refused',
    lasts: 'good',
    code: 'number_invalid',
    networkCode: null,
  })
  expect(await house.statuses()).toEqual(['unconfirmed', 'sent'])
})

test('a late word that says nothing new leaves room for one that does', async () => {
  await sendDoubtful()
  await house.dispatcher.lateOutcome('dev_s', lastId(), unknown())
  await house.dispatcher.lateOutcome('dev_s', lastId(), accepted('n1'))
  expect(await message()).toMatchObject({ status: 'sent', corrected: 1 })
})

test('a late word waits until the unknown outcome is stored', async () => {
  const told: Promise<void>[] = []
  answer = ({ attemptId }) => {
    setImmediate(() => told.push(house.dispatcher.lateOutcome('dev_s', attemptId, accepted('early', 'last'))))
    return unknown('early')
  }
  await sendDoubtful({ parts: 2 })
  await Promise.all(told)
  expect(told).toHaveLength(1)
  expect(await message()).toMatchObject({ status: 'sent', corrected: 1, charged: 1 })
  await deliver('last')
  expect(await message()).toMatchObject({ status: 'sent' })
  await deliver('early')
  expect(await message()).toMatchObject({ status: 'delivered', charged: 1 })
})

test('a stop waits for a late yes that came while its doubt was being stored', async () => {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const stored: string[] = []
  const slow = await openMessagesFixture(kind, {
    around: (units) => ({
      ...units,
      async settleOutcomes(settlements) {
        begun.resolve()
        await gate.promise
        const states = await units.settleOutcomes(settlements)
        stored.push(...settlements.map(({ outcome }) => outcome))
        return states
      },
    }),
  })
  onTestFinished(() => slow.close())
  await slow.addAccount('acc_a', 20)
  await slow.addDevice('dev_s')
  await slow.send()
  const drained = slow.dispatcher.drain()
  await begun.promise
  const told = slow.dispatcher.lateOutcome('dev_s', lastId(), accepted('n1'))
  const stopped = slow.dispatcher.stop()
  gate.resolve()
  await stopped
  expect(stored).toEqual(['unknown', 'accepted'])
  await Promise.all([told, drained])
  expect(await slow.statuses()).toEqual(['sent'])
})

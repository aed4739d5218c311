import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeChange } from '../../src/messages/core/change-number.ts'
import type { Outcome } from '../../src/connectors/connector.ts'
import { judgeLate } from '../../src/dispatch/outcomes/retry-policy.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import type { MessageState } from '../../src/messages/core/message-store.ts'
import { readOwnPayers } from '../../src/messages/core/own-payers.ts'
import { readResent } from '../../src/messages/core/queue-move.ts'
import type { Move, Trigger } from '../../src/messages/core/state.ts'
import type { MessageStatus } from '../../src/storage/tables/schema.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import { statementsOf } from '../plans.ts'
import { accepted, unknown } from './outcomes.ts'
import { openUnitHouse, type UnitHouse } from './unit-house.ts'

/** A message with a fallback of which two devices with two purses each submitted an attempt: one purse pays, once. */
let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

type Device = 'own' | 'shared'
const other = { own: 'shared', shared: 'own' } as const
const claim = (device: Device): Promise<Claimed> =>
  house.claim(`dev_${device}`, device === 'own' ? { isOwn: true } : {})
const refused = (lasts: 'good' | 'now' | 'expired') => ({ kind: 'refused', lasts, code: 'no_service', networkCode: null }) as const // prettier-ignore
const partial = (partsTaken: number): Outcome => ({
  kind: 'partial', networkIds: [], partsTaken, receiptExpected: false, code: 'network_rejected', networkCode: null,
}) // prettier-ignore

/** Submits by one device with an unknown end that took one part, then by the other one; returns both attempts. */
async function submitTwice(first: Device): Promise<[Claimed, Claimed]> {
  await house.send({ parts: 3, fallback: 'shared', onUnknown: 'resend_once' })
  const one = await claim(first)
  await house.end(one, unknown('n1'))
  return [one, await claim(other[first])]
}
const close = () =>
  house.store.writer.write((tx) => tx.updateTable('accounts').set({ state: 'closed' }).execute())
async function paid(): Promise<[number, string]> {
  const { charged, paid_by: paidBy } = await house.message()
  const wallet = await house.store.db
    .selectFrom('wallets')
    .select(['reserved', 'used', 'own_reserved', 'own_used'])
    .where('mode', '=', 'live')
    .executeTakeFirstOrThrow()
  const isOwn = paidBy === 'own_device'
  expect(wallet).toEqual({
    reserved: 0,
    own_reserved: 0,
    used: isOwn ? 0 : charged,
    own_used: isOwn ? charged : 0,
  })
  return [charged, isOwn ? 'own' : 'shared']
}

const bothWays = [{ first: 'own' }, { first: 'shared' }] as const satisfies { first: Device }[]

test.for(bothWays)(
  'the part that the first attempt took is paid by its device ($first), however the second one ends that took none',
  async ({ first }) => {
    for (const end of [unknown(), refused('good'), refused('expired'), partial(1)]) {
      const [, two] = await submitTwice(first)
      await house.end(two, end)
      expect(await paid()).toEqual([1, first])
      await house.close()
      house = await openUnitHouse()
    }
  },
)

test.for(bothWays)(
  'if the second attempt took more parts than the first one ($first), its device pays for all',
  async ({ first }) => {
    const [, two] = await submitTwice(first)
    await house.end(two, partial(2))
    expect(await paid()).toEqual([2, other[first]])
  },
)

test.for(bothWays)(
  'an attempt that was accepted is paid whole by its device, also the first ($first) after the second one was refused',
  async ({ first }) => {
    const [, two] = await submitTwice(first)
    await house.end(two, accepted('m1', 'm2', 'm3'))
    expect(await paid()).toEqual([3, other[first]])
    await house.close()
    house = await openUnitHouse()
    const [one, refusedOne] = await submitTwice(first)
    await house.end(refusedOne, refused('now'))
    const late = judgeLate(one, accepted('n1', 'n2', 'n3'), house.clock.now())
    await house.store.writer.write((tx) => settleOutcomes(tx, [late], takeChange(tx, house.clock.now())))
    expect(await house.message()).toMatchObject({ status: 'sent', attempts: 2 })
    expect(await paid()).toEqual([3, first])
  },
)

test.for(bothWays)(
  'in an account that was closed meanwhile, too, the device of the first attempt ($first) pays for its part',
  async ({ first }) => {
    const [, two] = await submitTwice(first)
    await close()
    await house.end(two, refused('now'))
    expect(await house.message()).toMatchObject({ status: 'unconfirmed', error_code: 'device_unresponsive' })
    expect(await paid()).toEqual([1, first])
  },
)

test.for(bothWays)(
  'an account that is closed during the first attempt ($first) pays for its part, and there is no second one',
  async ({ first }) => {
    await house.send({ parts: 3, fallback: 'shared', onUnknown: 'resend_once' })
    const one = await claim(first)
    await close()
    await house.end(one, unknown('n1'))
    expect(await house.message()).toMatchObject({ status: 'unconfirmed', attempts: 1 })
    expect(await paid()).toEqual([1, first])
  },
)

test('who pays is read where something is charged, and with no move that charges nothing', async () => {
  const [, two] = await submitTwice('own')
  await house.end(two, { kind: 'unavailable', detail: 'gone' })
  const message = await house.message()
  const statements = (trigger: Trigger | Move, state: MessageState, partsTaken = 0) =>
    house.store.writer.write(async (tx) => {
      const about = [{ message: state, trigger, partsTaken }]
      const resent = await readResent(tx, about)
      const seen = await statementsOf(tx, () => readOwnPayers(tx, about, resent))
      return seen.length
    })
  const fresh = { ...message, parts_sent: 0 }
  const to = (status: MessageStatus, charge: Move['charge']): Move => ({ to: status, charge })
  expect(await statements(to('queued', 'keep'), fresh)).toBe(0)
  expect(await statements(to('failed', 'nothing'), fresh)).toBe(0)
  expect(await statements(to('unconfirmed', 'taken'), fresh)).toBe(0)
  expect(await statements('due', fresh)).toBe(0)
  expect(await statements(to('sent', 'all'), { ...fresh, fallback: null })).toBe(0)
  expect(await statements(to('sent', 'all'), { ...fresh, cost_state: 'charged' })).toBe(0)
  expect(await statements(to('sent', 'all'), fresh)).toBe(1)
  expect(await statements(to('unconfirmed', 'taken'), fresh, 1)).toBe(1)
  // Its first attempt took a part: it pays for that however the message ends.
  for (const trigger of ['canceled', 'validity_ended'] as const)
    expect(await statements(trigger, { ...message, status: 'queued' })).toBe(1)
})

import { expect, onTestFinished, test } from 'vitest'
import type { Submission } from '../../src/connectors/connector.ts'
import { setPlan } from '../../src/devices/core/set-plan.ts'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { PlanStates } from '../../src/dispatch/rates/plan-states.ts'
import { units } from '../../src/messages/units.ts'
import { openMessagesFixture } from '../messages-fixture.ts'
import { accepted } from '../messages/outcomes.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { openDeskHouse, sayAll } from '../phones/gateway-fixture.ts'
import { statementsOf } from '../plans.ts'
import { scriptedKind } from './scripted-kind.ts'

type House = Pick<Awaited<ReturnType<typeof openMessagesFixture>>, 'storage' | 'ids' | 'clock' | 'pool'>

async function plan(
  { storage, ids, clock, pool }: House,
  deviceId: string,
  sim: number,
  numbersPerMonth: number,
) {
  const change = { deviceId, sim, numbersPerMonth, zoneIfNew: 'UTC', actor: 'test' }
  await storage.writer.write((tx) => setPlan(tx, { ids, nowMs: clock.now() }, change))
  await pool.reloadIfChanged()
}
const number = (n: number): string => `+4915112345${600 + n}`

test('a SIM with 99 numbers a month gives the 100th to the other SIM, and still sends to its 99, after a restart too', async () => {
  const house = await openDeskHouse({ window: 300, sims: { simOf: new Map([['+4915100000001', 1]]), turns: [1, 2] } })
  const phone = await house.register('1')
  await house.storage.writer.write((tx) =>
    tx
      .updateTable('devices')
      .set({ parts_per_window: null, window_seconds: null, senders: '["+4915100000001"]', updated_at: house.clock.now() + 1 })
      .execute(),
  )
  await plan(house, phone.deviceId, 1, 99)
  // By its sender it is for SIM 1.
  await house.send({ from: '+4915100000001', to: Array.from({ length: 99 }, (_, n) => number(n)) })
  const first = await house.pull(phone)
  expect(first.map(({ sim }) => sim)).toEqual(Array.from({ length: 99 }, () => 1))
  await house.report(phone, ...first.map(sayAll('sent')))
  house.restart()
  await house.pool.plans.reload()
  expect(house.pool.get(phone.deviceId)?.health.reasons).toEqual(['plan_numbers_reached'])
  await house.send({ to: [number(99), ...Array.from({ length: 99 }, (_, n) => number(n))] })
  const then = await house.pull(phone)
  expect(then.map(({ to, sim }) => [to, sim])).toEqual([[number(99), 2], ...Array.from({ length: 99 }, (_, n) => [number(n), 1])])
  await house.report(phone, ...then.map(sayAll('sent')))
  // What only SIM 1 may send waits, and holds up nobody.
  await house.send({ from: '+4915100000001', to: [number(100), number(3)] })
  await house.clock.advance(1_000)
  expect((await house.pull(phone)).map(({ to, sim }) => [to, sim])).toEqual([[number(3), 1]])
  await expectSums(house.storage.read, house.clock.now())
}) // prettier-ignore

test('a phone of which one SIM has reached its plan has reached none, and once the other one has, it says so', async () => {
  const house = await openDeskHouse({ window: 300, sims: { simOf: new Map([['+4915100000001', 1]]), turns: [1, 2] } })
  const phone = await house.register('1')
  await house.storage.writer.write((tx) => tx.updateTable('devices').set({ senders: '["+4915100000001"]', updated_at: house.clock.now() + 1 }).execute())
  for (const sim of [1, 2]) await plan(house, phone.deviceId, sim, 1)
  const reasonsAfter = async (from: string | undefined, n: number): Promise<readonly string[] | undefined> => {
    await house.send({ ...(from !== undefined && { from }), to: [number(n)] })
    await house.report(phone, ...(await house.pull(phone)).map(sayAll('sent')))
    await house.pool.plans.reload()
    return house.pool.get(phone.deviceId)?.health.reasons
  }
  expect(await reasonsAfter('+4915100000001', 0)).toEqual([])
  expect(await reasonsAfter(undefined, 1)).toEqual(['plan_numbers_reached'])
}) // prettier-ignore

test('of two links the one at its limit of numbers carries what is for these numbers, and the other one the rest at once', async () => {
  const carried: [string, string][] = []
  const kind = scriptedKind({ submit: async () => accepted('n') })
  const noting: typeof kind = {
    ...kind,
    createLink: (setup, tools, events) => ({
      ...kind.createLink(setup, tools, events),
      async submit({ to, attemptId }: Submission) {
        carried.push([to, setup.id])
        return accepted(attemptId)
      },
    }),
  }
  const house = await openMessagesFixture(noting)
  onTestFinished(() => house.close())
  await house.addGrantedAccount()
  await house.addDevice('dev_a', { accountId: 'acc_a' })
  await plan(house, 'dev_a', 1, 2)
  await house.send({ to: [number(1), number(2)] })
  await house.dispatcher.drain()
  await house.addDevice('dev_b', { accountId: 'acc_a' })
  await house.send({ to: [number(3), number(1), number(4), number(2)] })
  await house.dispatcher.drain()
  expect(carried.slice(0, 2).map(([, id]) => id)).toEqual(['dev_a', 'dev_a'])
  expect(Object.fromEntries(carried.slice(2))).toEqual({
    [number(1)]: 'dev_a',
    [number(2)]: 'dev_a',
    [number(3)]: 'dev_b',
    [number(4)]: 'dev_b',
  })
  // A server that has just started knows it, too.
  const fresh = new PlanStates({ read: house.storage.read, clock: house.clock, planKey: '' })
  await fresh.reload()
  expect(fresh.roomOf('dev_a', [{ sim: null }])).toEqual({ any: 0, known: Infinity })
  expect(fresh.shares()).toEqual([['dev_a', 1]])
  await expectSums(house.storage.read, house.clock.now())
  house.clock.jumpWallClock(31 * 86_400_000)
  await fresh.reload()
  expect(fresh.roomOf('dev_a', [{ sim: null }])).toEqual({ any: Infinity, known: Infinity })
})

test('a node reads the use of plans once a second, and a device at its limit of numbers looks again a second after it looked', async () => {
  const house = await openMessagesFixture(scriptedKind({ submit: async () => accepted('n') }))
  onTestFinished(() => house.close())
  const { storage, clock } = house
  await house.addGrantedAccount()
  await house.addDevice('dev_a', { accountId: 'acc_a' })
  await plan(house, 'dev_a', 1, 1)
  const states = new PlanStates({ read: storage.read, clock, planKey: '' })
  const room = () => states.roomOf('dev_a', [{ sim: null }])
  await states.reload()
  await house.send({ to: [number(1)] })
  await house.dispatcher.drain()
  const roomAfter = async (ms: number) => {
    await clock.advance(ms)
    await states.refresh()
    return room()
  }
  expect(await roomAfter(999)).toEqual({ any: Infinity, known: Infinity })
  expect(await roomAfter(1)).toEqual({ any: 0, known: Infinity })
  await clock.advance(500)
  states.rest('dev_a')
  // In between the use is read again, which ends no rest.
  expect(await roomAfter(500)).toEqual({ any: 0, known: 0 })
  expect(await roomAfter(499)).toEqual({ any: 0, known: 0 })
  expect(await roomAfter(1)).toEqual({ any: 0, known: Infinity })
})

test('a plan of ten parts a day is reached with the tenth, not with the ninth', async () => {
  const house = await openMessagesFixture(scriptedKind({ submit: async () => accepted('n') }))
  onTestFinished(() => house.close())
  const { storage, ids, clock, pool } = house
  await house.addGrantedAccount()
  await house.addDevice('dev_a', { accountId: 'acc_a' })
  const change = { deviceId: 'dev_a', sim: 1, partsPerDay: 10, zoneIfNew: 'UTC', actor: 'test' }
  await storage.writer.write((tx) => setPlan(tx, { ids, nowMs: clock.now() }, change))
  await pool.reloadIfChanged()
  const reasonsAfter = async (...numbers: number[]) => {
    await house.send({ to: numbers.map(number) })
    await house.dispatcher.drain()
    await pool.plans.reload()
    return pool.plans.reasonsOf('dev_a')
  }
  expect(await reasonsAfter(1, 2, 3, 4, 5, 6, 7, 8, 9)).toEqual([])
  expect(await reasonsAfter(10)).toEqual(['plan_reached'])
})

test('what a link certainly did not send is returned to its plan, and goes over it again', async () => {
  let isRefused = true
  const refusal = { kind: 'refused', lasts: 'now', code: 'device_error', networkCode: null } as const
  const house = await openMessagesFixture(scriptedKind({ submit: async () => (isRefused ? refusal : accepted('n')) }))
  onTestFinished(() => house.close())
  await house.addGrantedAccount()
  await house.addDevice('dev_a', { accountId: 'acc_a' })
  await plan(house, 'dev_a', 1, 1)
  await house.send({ to: [number(1)] })
  await house.dispatcher.drain()
  isRefused = false
  await house.clock.advance(1_000)
  await house.send({ to: [number(2)] })
  await house.dispatcher.drain()
  await house.clock.advance(20_000)
  await house.dispatcher.drain()
  // The number of the first one was free again, and the second one took it.
  const rows = await house.storage.read.selectFrom('messages').select(['recipient', 'status']).orderBy('id').execute()
  expect(rows).toEqual([{ recipient: number(1), status: 'queued' }, { recipient: number(2), status: 'sent' }])
}) // prettier-ignore

test('only claims of devices with a plan ask about plans, and their outcomes only where something is returned', async () => {
  const house = await openMessagesFixture()
  onTestFinished(() => house.close())
  const { storage, clock } = house
  await house.dispatcher.stop()
  await house.addGrantedAccount()
  await house.addDevice('dev_a', { accountId: 'acc_a' })
  const request = { accountId: 'acc_a', mode: 'live', routeKey: 'live:', deviceId: 'dev_a', quota: 1, partsOver: 0, partsUpTo: 10 } as const // prettier-ignore
  const at = () => ({ nowMs: clock.now(), dueMs: clock.now(), fence: 1, known: 0 })
  const life = async (plans: object, kind: 'accepted' | 'unavailable') => {
    await house.send()
    const asked = { requests: [{ ...request, ...plans }], ...at() }
    const outcome = kind === 'accepted' ? accepted('n') : ({ kind: 'unavailable', detail: '' } as const)
    let claim: Awaited<ReturnType<typeof units.claim>> | undefined
    const of = async (unit: Parameters<typeof storage.writer.write>[0]) => {
      const statements = await storage.writer.write((tx) => statementsOf(tx, () => unit(tx)))
      return statements.filter(({ sql }) => /sim_/.test(sql)).length
    }
    const claiming = await of(async (tx) => void (claim = await units.claim(tx, asked)))
    const claimed = claim?.claimed[0] as NonNullable<typeof claim>['claimed'][number]
    const ending = await of((tx) => units.settleOutcomes(tx, [judgeOutcome(claimed, outcome, clock.now())]))
    return [claiming, ending]
  }
  const plans = { plans: { plans: [{ deviceId: 'dev_a', sim: 1, partsPerDay: 20, partsPerMonth: null, numbersPerMonth: 5, monthStarts: 1, zone: 'UTC' }], key: 'ab' } } // prettier-ignore
  expect(await life({}, 'accepted')).toEqual([0, 0])
  expect(await life(plans, 'accepted')).toEqual([4, 0])
  expect(await life({}, 'unavailable')).toEqual([0, 0])
})

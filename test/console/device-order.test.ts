import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderAnswer } from '../../src/api/console/devices/order-calls.ts'
import { addRule } from '../../src/devices/routes/rule-store.ts'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
})
afterAll(() => house.stop())

const deps = { ids: createIds({ now: systemClock.now }), nowMs: systemClock.now() }
const live = { mode: 'live' } as const
/** A device for live messages, which only commands add: simulators are for tests. */
async function device(person: ConsolePerson, name: string): Promise<string> {
  const id = deps.ids('dev')
  await house.app.storage.writer.write(
    (tx) =>
    tx.insertInto('devices').values({ id, account_id: person.accountId, mode: 'live', kind: 'simulator', name, state: 'enabled', senders: '[]', settings: '{}', created_at: deps.nowMs, updated_at: deps.nowMs } as never).execute(), // prettier-ignore
  )
  return id
}
const readBy = async (person: ConsolePerson): Promise<OrderAnswer> => (await person.read('devices/order', {}, live)).body as OrderAnswer // prettier-ignore
const setBy = (person: ConsolePerson, steps: unknown) => person.change('devices/set-order', { steps }, live)
const step = (use: string, more: object = {}) => ({ use, isForBusy: false, afterMinutes: null, ...more })
const stored = async (accountId: string): Promise<(string | null)[]> => {
  const rows = await house.app.storage.read.selectFrom('route_rules').select('stages').where('account_id', '=', accountId).execute() // prettier-ignore
  return rows.map(({ stages }) => stages)
}

test('an owner orders the own devices, and the order is the rule of the account for all messages', async () => {
  const { ada } = house
  const [phone, net] = [await device(ada, 'Phone'), await device(ada, 'Net')]
  const before = await readBy(ada)
  expect(before).toMatchObject({ steps: [], otherRules: 0, canSet: true })
  expect(before.devices).toEqual(expect.arrayContaining([{ id: phone, name: 'Phone' }, { id: net, name: 'Net' }])) // prettier-ignore
  const steps = [step(phone), step(net, { isForBusy: true, afterMinutes: 5 }), step('own')]
  expect(await setBy(ada, steps)).toMatchObject({ status: 200, body: { steps: 3 } })
  expect(await readBy(ada)).toMatchObject({ steps, otherRules: 0 })
  expect(await stored(ada.accountId)).toEqual([
    JSON.stringify([{ use: [phone] }, { use: [net], busy: true, afterSeconds: 300 }, { use: ['own'] }]),
  ])
  await setBy(ada, [step(net), step(phone)])
  expect((await readBy(ada)).steps).toEqual([step(net), step(phone)])
  await setBy(ada, [])
  expect(await readBy(ada)).toMatchObject({ steps: [] })
  expect(await stored(ada.accountId)).toEqual([])
})

test('what is no order of the own devices is refused, and nothing is stored', async () => {
  const { ada, bob } = house
  const own = await device(ada, 'Third')
  const foreign = await device(bob, 'Of Bob')
  expect(await setBy(ada, [step(foreign)])).toMatchObject({ status: 404 })
  expect(await setBy(ada, [step('dev_nobody')])).toMatchObject({ status: 404 })
  for (const steps of [[step(own), step(own)], [step('grp_a')], [step(own, { afterMinutes: 0 })]])
    expect((await setBy(ada, steps)).status).toBe(422)
  expect(await stored(ada.accountId)).toEqual([])
})

test('rules of the operator for some messages stay in front, and one that says more than an order is not overwritten', async () => {
  const { bob } = house
  const own = await device(bob, 'Alone')
  const add = (conditions: object, way: string) =>
    house.app.storage.writer.write((tx) => addRule(tx, deps, { accountId: bob.accountId, name: 'R', conditions, stages: readWay(way), actor: 'test' })) // prettier-ignore
  await add({ to: ['49'] }, 'own')
  expect(await setBy(bob, [step(own)])).toMatchObject({ status: 200 })
  expect(await readBy(bob)).toMatchObject({ steps: [step(own)], otherRules: 1 })
  await setBy(bob, [])
  await add({}, `${own}*1,own*2`)
  expect(await readBy(bob)).toMatchObject({ steps: null })
  expect((await setBy(bob, [step(own)])).status).toBe(422)
  expect((await readBy(house.ada)).otherRules).toBe(0)
})

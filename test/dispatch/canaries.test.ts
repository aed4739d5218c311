import { expect, test } from 'vitest'
import { lostCanaries } from '../../src/alerts/lost-canaries.ts'
import { removeCanary } from '../../src/devices/canaries/canary-store.ts'
import { codeIn } from '../../src/devices/canaries/canary-text.ts'
import { retireDevice } from '../../src/devices/core/device-store.ts'
import { setPlan } from '../../src/devices/core/set-plan.ts'
import type { Outcome } from '../../src/connectors/connector.ts'
import { openCanaryHouse } from './canary-house.ts'

const refused = { kind: 'refused', lasts: 'now', code: 'no_service', networkCode: null } as const
const nothing = { rows: 0, cost: 0 }

test('a canary that arrives ends its run, and is in no conversation, webhook, change or wallet', async () => {
  const house = await openCanaryHouse()
  await house.add()
  await house.run()
  expect(house.given).toMatchObject([{ to: '+4915100000002', from: null, parts: 1, category: 'transactional', text: expect.stringMatching(/^onesixty [0-9a-z]{12}$/) }])
  house.wait(0.1)
  await house.receive(` ${house.given[0]!.text.toUpperCase()}`)
  expect(await house.canary()).toMatchObject({ runs: 1, lost: 0, medianSeconds: 6, last: { state: 'arrived', seconds: 6 } })
  // The network brings it again, and the receipt of it.
  await house.receive(house.given[0]!.text)
  await house.dispatcher.receipt('dev_from', { networkId: 'n1', result: 'delivered', code: null, networkCode: null })
  expect(await house.storage.read.selectFrom('parked_receipts').selectAll().execute()).toEqual([])
  expect(await house.traces()).toEqual(nothing)
  await house.run()
  expect(house.given).toHaveLength(1)
  house.wait(60)
  await house.run()
  expect(house.given).toHaveLength(2)
}) // prettier-ignore

test('what only looks like a canary is a message', async () => {
  const house = await openCanaryHouse()
  await house.add()
  await house.run()
  const text = house.given[0]?.text ?? ''
  await house.receive(text, 'dev_from')
  await house.receive('onesixty 0123456789ab')
  await house.receive(`Fwd: ${text}`)
  expect((await house.traces()).rows).toBeGreaterThanOrEqual(3)
  expect(await house.canary()).toMatchObject({ last: { state: 'open' } })
  expect([codeIn('onesixty'), codeIn('onesixty 0123456789abc'), codeIn('STOP')]).toEqual([null, null, null])
})

test('two that are lost in a row are an alert within two intervals, and one that arrives ends it', async () => {
  const house = await openCanaryHouse()
  const id = await house.add()
  await house.run()
  house.wait(19)
  await house.run()
  expect(await house.canary()).toMatchObject({ lost: 0 })
  house.wait(1)
  await house.run()
  // The second run follows at once.
  expect(house.given).toHaveLength(2)
  expect(await house.alerts()).toEqual([])
  house.wait(20)
  await house.run()
  expect(await house.canary()).toMatchObject({
    lost: 2,
    runs: 2,
    lostInRow: 2,
    last: { reason: 'not_arrived' },
  })
  expect(await house.alerts()).toEqual([id])
  // Late ones are no messages, and no sign that the next ones arrive.
  await house.receive(house.given[0]!.text)
  expect([await house.alerts(), await house.traces()]).toEqual([[id], nothing])
  house.wait(60)
  await house.run()
  expect(house.given).toHaveLength(3)
  await house.receive(house.given[2]!.text)
  expect(await house.alerts()).toEqual([])
  const ended = [{ id: 'alr_1', kind: 'canary_lost', subject: id }] as const
  expect(await lostCanaries.findRecovered(house.storage.read, ended, 0)).toEqual(new Set(['alr_1']))
})

test('a refusal is a loss at once, and so is a device that no server runs for a minute', async () => {
  const house = await openCanaryHouse()
  await house.add()
  house.says.answer = refused
  await house.run()
  expect(await house.canary()).toMatchObject({ lostInRow: 1, last: { state: 'lost', reason: 'no_service' } })
  const { plans, isFrozen } = house.pool
  const elsewhere = { pool: { plans, isFrozen: isFrozen.bind(house.pool), get: () => null } }
  await house.run(elsewhere)
  expect(await house.canary()).toMatchObject({ lostInRow: 1 })
  house.wait(1)
  // The node that has its lease knows whether it is only busy.
  const lease = (until: number | null) =>
    house.storage.writer.write((tx) => tx.updateTable('devices').set({ lease_until: until }).where('id', '=', 'dev_from').execute())
  await lease(house.clock.now() + 1)
  await house.run(elsewhere)
  expect(await house.canary()).toMatchObject({ lostInRow: 1 })
  await lease(null)
  await house.run(elsewhere)
  expect(await house.canary()).toMatchObject({ lostInRow: 2, last: { reason: 'device_unavailable' } })
}) // prettier-ignore

test('a device that has no room, is disabled, or says that it is busy loses no canary, and counts none', async () => {
  const house = await openCanaryHouse()
  const { storage, ids, clock, pool } = house
  const limits = { deviceId: 'dev_from', sim: 1, partsPerMonth: 10, zoneIfNew: 'UTC', actor: 'test' }
  await storage.writer.write((tx) => setPlan(tx, { ids, nowMs: clock.now() }, limits))
  await pool.reloadIfChanged()
  await house.add()
  const device = pool.get('dev_from')!
  device.submitted()
  device.submitted()
  await house.run()
  house.wait(2)
  await house.run()
  expect([house.given.length, await house.canary()]).toMatchObject([0, { runs: 0, last: null }])
  device.answered()
  device.answered()
  house.says.answer = { kind: 'unavailable', detail: 'busy' }
  await house.run()
  house.says.answer = { kind: 'refused', lasts: 'busy', code: 'network_congested', networkCode: null }
  await house.run()
  expect([house.given.length, await house.canary()]).toMatchObject([2, { lostInRow: 0, last: null }])
  expect(await storage.read.selectFrom('sim_usage').select('parts').execute()).toEqual([{ parts: 0 }])
  expect(device.inFlight).toBe(0)
  house.wait(20)
  await house.run()
  expect(await house.canary()).toMatchObject({ lostInRow: 1, last: { reason: 'network_congested' } })
  await storage.writer.write((tx) => tx.updateTable('devices').set({ state: 'disabled' }).where('id', '=', 'dev_from').execute())
  await storage.writer.write((tx) => tx.updateTable('instance').set({ directory_version: 99 }).execute())
  await pool.reloadIfChanged()
  house.wait(1)
  await house.run()
  expect(await house.canary()).toMatchObject({ lostInRow: 1, nextAt: clock.now() + 3_600_000 })
}) // prettier-ignore

test('a canary takes its place on the link before it is flushed, and a link that does not answer delays no other one', async () => {
  const house = await openCanaryHouse()
  await house.addDevice('dev_slow', { accountId: 'acc_a' })
  for (const recipient of ['+4915100000002', '+4915100000003', '+4915100000004'])
    await house.add({ fromDevice: 'dev_slow', recipient })
  const answer = Promise.withResolvers<Outcome>()
  house.says.answer = answer.promise
  const runner = house.runner()
  await runner.sweepAll()
  const [slow, other] = [house.pool.get('dev_slow')!, house.pool.get('dev_from')!]
  expect([slow.inFlight, slow.hasRoom, slow.candidate().free]).toEqual([2, false, 0])
  await house.add()
  await runner.sweepAll()
  expect([slow.inFlight, other.inFlight]).toEqual([2, 1])
  answer.resolve({ kind: 'accepted', networkIds: ['n1'], receiptExpected: true })
  await runner.settled()
  expect([slow.inFlight, other.inFlight, house.given.length]).toEqual([0, 0, 3])
})

test('of two nodes that find a run due at the same instant one takes it', async () => {
  const house = await openCanaryHouse()
  await house.add()
  await Promise.all([house.run(), house.run(), house.run()])
  expect(house.given).toHaveLength(1)
})

test('a run counts in the plan of its SIM, and is returned to it when it was certainly not sent', async () => {
  const house = await openCanaryHouse()
  const { storage, ids, clock } = house
  await storage.writer.write((tx) =>
    setPlan(tx, { ids, nowMs: clock.now() }, { deviceId: 'dev_from', sim: 1, partsPerMonth: 10, numbersPerMonth: 1, zoneIfNew: 'UTC', actor: 'test' }),
  )
  await house.pool.reloadIfChanged()
  await house.add()
  const used = () => storage.read.selectFrom('sim_usage').select(['parts', 'numbers']).execute()
  await house.run()
  expect(await used()).toEqual([{ parts: 1, numbers: 1 }])
  await house.receive(house.given[0]!.text)
  // The number is known now; another canary would be a second one.
  house.says.answer = refused
  house.wait(60)
  await house.run()
  expect([house.given.length, await used()]).toEqual([2, [{ parts: 1, numbers: 1 }]])
  await house.add({ recipient: '+4915100000003' })
  await house.run()
  expect(house.given.map(({ to }) => to)).not.toContain('+4915100000003')
}) // prettier-ignore

test('a canary goes with its devices, needs those of its account, and keeps a hundred runs', async () => {
  const house = await openCanaryHouse()
  const { storage, ids, clock } = house
  await house.addDevice('dev_shared', { accountId: null })
  const deps = { ids, nowMs: clock.now() }
  await house.add({ toDevice: 'dev_shared' })
  await expect(house.add({ accountId: null })).rejects.toMatchObject({ extra: { errors: [{ pointer: '/account_id' }] } })
  await expect(house.add({ everyMs: 60_000 })).rejects.toMatchObject({ extra: { errors: [{ pointer: '/every' }] } })
  await expect(house.add({ recipient: '0151' })).rejects.toMatchObject({ extra: { errors: [{ pointer: '/recipient' }] } })
  const id = await house.add()
  await storage.writer.write((tx) => removeCanary(tx, deps, { canaryId: id, actor: 'test' }))
  await house.add()
  for (let n = 0; n < 103; n++) {
    await house.run()
    house.wait(60)
  }
  const counts = await storage.read.selectFrom('canary_runs').select(({ fn }) => ['canary_id', fn.countAll<number>().as('runs')]).groupBy('canary_id').execute()
  expect(counts.map(({ runs }) => runs)).toEqual([100, 100])
  await storage.writer.write((tx) => retireDevice(tx, deps, { deviceId: 'dev_from', actor: 'test' }))
  expect(await storage.read.selectFrom('canary_runs').selectAll().execute()).toEqual([])
}) // prettier-ignore

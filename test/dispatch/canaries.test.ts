import { expect, test } from 'vitest'
import { lostCanaries } from '../../src/alerts/lost-canaries.ts'
import { removeCanary } from '../../src/devices/canaries/canary-store.ts'
import { codeIn } from '../../src/devices/canaries/canary-text.ts'
import { retireDevice } from '../../src/devices/core/device-store.ts'
import { setPlan } from '../../src/devices/core/set-plan.ts'
import { judgeFailure } from '../../src/connectors/android/failure.ts'
import { PhoneGateway } from '../../src/dispatch/phones/phone-gateway.ts'
import { CanarySenders } from '../../src/dispatch/devices/canary-senders.ts'
import { createCanaryRunner } from '../../src/dispatch/sweepers/canary-runner.ts'
import { createLog } from '../../src/process/log.ts'
import { appWords } from '../phones/app-words.ts'
import { openDeskHouse } from '../phones/gateway-fixture.ts'
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
  await house.storage.writer.write((tx) => tx.updateTable('devices').set({ state: 'disabled' }).where('id', '=', 'dev_from').execute())
  await house.storage.writer.write((tx) => tx.updateTable('instance').set({ directory_version: 99 }).execute())
  await house.pool.reloadIfChanged()
  await house.run()
  expect(await house.canary()).toMatchObject({ lostInRow: 1 })
  house.wait(1)
  await house.run()
  expect(await house.canary()).toMatchObject({ lostInRow: 2, last: { reason: 'device_unavailable' } })
}) // prettier-ignore

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

test('a phone fetches a run until it has said that it has it; without a SIM two intervals are enough to know', async () => {
  const house = await openDeskHouse()
  const { storage, clock, ids, pool, dispatcher } = house
  const phone = await house.register('1')
  await house.addDevice('dev_to', { accountId: 'acc_a' })
  const canaries = new CanarySenders()
  const log = createLog('silent', { write: () => undefined })
  const parts = { ...house, read: storage.read, writer: storage.writer, log, canaries }
  const gateway = new PhoneGateway({
    ...parts, fence: 1, judgeFailure, dueNow: () => dispatcher.dueNow(), wake: () => undefined,
    claim: async () => ({ claimed: [], found: [] }),
  }) // prettier-ignore
  const canary = { id: 'can_1', account_id: 'acc_a', from_device: phone.deviceId, to_device: 'dev_to', recipient: '+4915100000002', sim: 1, every_ms: 3_600_000, next_at: clock.now(), created_at: 1 } // prettier-ignore
  await storage.writer.write((tx) => tx.insertInto('canaries').values(canary).execute())
  const sweep = () => createCanaryRunner({ ...parts, ids, pool }).sweepAll()
  const asking = { phoneId: phone.phoneId, deviceId: phone.deviceId, hangsAfterMs: 600_000 }
  const say = (attemptId: string, state: 'pending' | 'failed', error: string | null = null) =>
    gateway.report([{ ...asking, attemptId, state, error }])
  await sweep()
  expect(house.woken).toContain(phone.deviceId)
  const [first] = await gateway.offer(asking)
  expect(first).toMatchObject({ to: '+4915100000002', sim: 1, text: expect.stringMatching(/^onesixty /) })
  expect(await gateway.offer(asking)).toEqual([first])
  await say(first!.attemptId, 'pending')
  expect(await gateway.offer(asking)).toEqual([])
  await say(first!.attemptId, 'failed', appWords.radioOff)
  await sweep()
  const [second] = await gateway.offer(asking)
  expect(second?.attemptId).not.toBe(first?.attemptId)
  await say(second!.attemptId, 'failed', appWords.radioOff)
  const found = await lostCanaries.find(storage.read, clock.now(), new Set())
  expect(found).toMatchObject([{ kind: 'canary_lost', subject: 'can_1', accountId: 'acc_a' }])
  expect(await storage.read.selectFrom('phone_offers').selectAll().execute()).toEqual([])
  expect(await storage.read.selectFrom('messages').selectAll().execute()).toEqual([])
})

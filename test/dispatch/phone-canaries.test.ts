import { expect, test } from 'vitest'
import { lostCanaries } from '../../src/alerts/lost-canaries.ts'
import { endOverdue } from '../../src/devices/canaries/canary-runs.ts'
import { judgeFailure } from '../../src/connectors/android/failure.ts'
import { PhoneGateway } from '../../src/dispatch/phones/phone-gateway.ts'
import { CanarySenders } from '../../src/dispatch/devices/canary-senders.ts'
import { createCanaryRunner } from '../../src/dispatch/sweepers/canary-runner.ts'
import { createLog } from '../../src/process/log.ts'
import { appWords } from '../phones/app-words.ts'
import { openDeskHouse } from '../phones/gateway-fixture.ts'

/** A phone that has a canary to `dev_to`, due now. */
async function openPhoneHouse() {
  const house = await openDeskHouse()
  const { storage, clock, ids, pool, dispatcher } = house
  const phone = await house.register('1')
  await house.addDevice('dev_to', { accountId: 'acc_a' })
  const canaries = new CanarySenders()
  const log = createLog('silent', { write: () => undefined })
  const deps = { ...house, read: storage.read, writer: storage.writer, log, canaries }
  const gateway = new PhoneGateway({
    ...deps, fence: 1, judgeFailure, dueNow: () => dispatcher.dueNow(), wake: () => undefined,
    claim: async () => ({ claimed: [], found: [] }),
  }) // prettier-ignore
  const canary = { id: 'can_1', account_id: 'acc_a', from_device: phone.deviceId, to_device: 'dev_to', recipient: '+4915100000002', sim: 1, every_ms: 3_600_000, next_at: clock.now(), created_at: 1 } // prettier-ignore
  await storage.writer.write((tx) => tx.insertInto('canaries').values(canary).execute())
  const sweep = () => createCanaryRunner({ ...deps, ids, pool }).sweepAll()
  const asking = { phoneId: phone.phoneId, deviceId: phone.deviceId, hangsAfterMs: 600_000 }
  const say = (attemptId: string, state: 'pending' | 'failed', error: string | null = null) =>
    gateway.report([{ ...asking, attemptId, state, error }])
  return { house, gateway, asking, sweep, say }
}

test('a phone fetches a run until it has said that it has it; without a SIM two intervals are enough to know', async () => {
  const { house, gateway, asking, sweep, say } = await openPhoneHouse()
  const { storage, clock } = house
  await sweep()
  expect(house.woken).toContain(asking.deviceId)
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
  // What a phone never fetched was certainly not sent.
  const counts = { plan_counts: '{"number":"k","on":[[1,20000]]}' }
  const used = { device_id: asking.deviceId, sim: 1, day: 20_000, parts: 9, messages: 9, numbers: 1 }
  await storage.writer.write((tx) => tx.insertInto('sim_usage').values(used).execute())
  const parts = async () => (await storage.read.selectFrom('sim_usage').select('parts').execute())[0]?.parts
  const lose = async (isFetched: boolean) => {
    await storage.writer.write((tx) => tx.updateTable('canaries').set({ next_at: clock.now() }).execute())
    await sweep()
    await storage.writer.write((tx) =>
      tx.updateTable('canary_runs').set(counts).where('state', '=', 'open').execute(),
    )
    if (isFetched) await gateway.offer(asking)
    clock.jumpWallClock(20 * 60_000)
    await storage.writer.write((tx) => endOverdue(tx, clock.now()))
    return parts()
  }
  expect([await lose(true), await lose(false)]).toEqual([9, 8])
  const found = await lostCanaries.find(storage.read, clock.now(), new Set())
  expect(found).toMatchObject([{ kind: 'canary_lost', subject: 'can_1', accountId: 'acc_a' }])
  expect(await storage.read.selectFrom('phone_offers').selectAll().execute()).toEqual([])
  expect(await storage.read.selectFrom('messages').selectAll().execute()).toEqual([])
})

test('a phone that is drained before it fetches a run does not get it, and none is lost; what it has it keeps', async () => {
  const { house, gateway, asking, sweep } = await openPhoneHouse()
  const { storage, pool } = house
  const drain = async (draining: 0 | 1, version: number) => {
    await storage.writer.write((tx) => tx.updateTable('devices').set({ draining, updated_at: version }).where('id', '=', asking.deviceId).execute()) // prettier-ignore
    await storage.writer.write((tx) => tx.updateTable('instance').set({ directory_version: version }).execute()) // prettier-ignore
    await pool.reloadIfChanged()
    expect(pool.get(asking.deviceId)?.facts.isDraining).toBe(draining === 1)
  }
  const runs = () => storage.read.selectFrom('canary_runs').select('state').execute()
  await sweep()
  expect(await runs()).toHaveLength(1)
  await drain(1, 98)
  expect([await gateway.offer(asking), await runs()]).toEqual([[], []])
  await sweep()
  expect(await runs()).toEqual([])
  await drain(0, 99)
  await storage.writer.write((tx) => tx.updateTable('canaries').set({ next_at: 1 }).execute())
  await sweep()
  const [run] = await gateway.offer(asking)
  await drain(1, 100)
  expect(await gateway.offer(asking)).toEqual([run])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StartAnswer } from '../../src/api/console/start-calls.ts'
import { insertRows } from '../../src/storage/sets.ts'
import { deliveredAt, store, storedMessage } from '../history/stored-messages.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
})
afterAll(() => house.stop())

/** A device as a running server has reported on it; none of this server's runs it. */
async function addReported(id: string, accountId: string | null, reportedAgoMs: number): Promise<void> {
  const nowMs = Date.now()
  await house.app.storage.writer.write(async (tx) => {
    await insertRows(tx, 'devices', [
      {
        id,
        account_id: accountId,
        mode: 'live',
        kind: 'android',
        name: `Name of ${id}`,
        state: 'enabled',
        senders: '[]',
        settings: '{}',
        created_at: nowMs,
        updated_at: nowMs,
      },
    ])
    const report = {
      device_id: id,
      status: 'online',
      reasons: '[]',
      body: '{}',
      reported_at: nowMs - reportedAgoMs,
    } as const
    await insertRows(tx, 'device_reports', [report])
  })
}
const deviceOf = async (): Promise<StartAnswer['device']> =>
  ((await house.ada.read('start/read')).body as StartAnswer).device

test('first steps know devices that were reported of late, and name none that is the operator’s', async () => {
  await addReported('dev_a_gone', house.ada.accountId, 3_600_000)
  await addReported('dev_b_bobs', house.bob.accountId, 0)
  expect(await deviceOf()).toBeNull()
  await addReported('dev_d_shared', null, 0)
  expect(await deviceOf()).toEqual({ name: null, isShared: true })
  await addReported('dev_c_own', house.ada.accountId, 0)
  expect(await deviceOf()).toEqual({ name: 'Name of dev_c_own', isShared: false })
})

test('what simulators alone took of live messages is not said to have been sent for real', async () => {
  const { accountId } = house.ada
  const start = async (): Promise<StartAnswer> => (await house.ada.read('start/read')).body as StartAnswer
  const nowMs = Date.now()
  const { storage } = house.app
  const kinds = ['simulator', 'smpp'] as const
  await storage.writer.write((tx) => insertRows(tx, 'devices', kinds.map((kind) => ({
    id: `dev_${kind}`, account_id: accountId, mode: 'live', kind, name: kind, state: 'disabled', senders: '[]', settings: '{}',
    created_at: nowMs, updated_at: nowMs,
  })))) // prettier-ignore
  const take = (id: string, deviceId: string) =>
    store(storage, [
      {
        ...storedMessage({ id, created_at: nowMs }),
        ...deliveredAt(nowMs),
        account_id: accountId,
        device_id: deviceId,
      },
    ])
  expect((await start()).isSimulated).toBe(false)
  await take('msg_0', 'dev_simulator')
  expect((await start()).isSimulated).toBe(true)
  await take('msg_1', 'dev_smpp')
  await take('msg_2', 'dev_simulator')
  expect((await start()).isSimulated).toBe(false)
})

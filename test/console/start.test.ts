import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StartAnswer } from '../../src/api/console/start-calls.ts'
import { insertRows } from '../../src/storage/sets.ts'
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
    await insertRows(tx, 'devices', [{
      id, account_id: accountId, mode: 'live', kind: 'android', name: `Name of ${id}`, state: 'enabled', senders: '[]', settings: '{}',
      created_at: nowMs, updated_at: nowMs,
    }]) // prettier-ignore
    const report = { device_id: id, status: 'online', reasons: '[]', body: '{}', reported_at: nowMs - reportedAgoMs } as const
    await insertRows(tx, 'device_reports', [report])
  }) // prettier-ignore
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

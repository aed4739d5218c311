import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StartAnswer } from '../../src/api/console/account/start-calls.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { deliveredAt, store, storedMessage } from '../history/stored-messages.ts'
import { startConsole, type ConsolePerson, type TestConsole } from './start-console.ts'

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

/** A device that was removed since. */
async function addRemoved(id: string, accountId: string, kind: 'simulator' | 'smpp'): Promise<void> {
  const nowMs = Date.now()
  await house.app.storage.writer.write((tx) => insertRows(tx, 'devices', [{
    id, account_id: accountId, mode: 'live', kind, name: kind, state: 'retired', senders: '[]', settings: '{}',
    created_at: nowMs, updated_at: nowMs,
  }])) // prettier-ignore
}

/** Stores messages that a device took, and what they cost. */
async function take(accountId: string, deviceId: string, ids: readonly string[]): Promise<void> {
  const nowMs = Date.now()
  const owned = { account_id: accountId, device_id: deviceId }
  const rows = ids.map((id) => ({
    ...storedMessage({ id, created_at: nowMs }),
    ...deliveredAt(nowMs),
    ...owned,
  }))
  await store(house.app.storage, rows)
  await house.app.storage.writer.write((tx) =>
    tx
      .updateTable('wallets')
      .set(({ eb }) => ({ granted: eb('granted', '+', ids.length), used: eb('used', '+', ids.length) }))
      .where('account_id', '=', accountId)
      .where('mode', '=', 'live')
      .execute(),
  )
}
const forgetMessages = (ids: readonly string[]) =>
  house.app.storage.writer.write((tx) => tx.deleteFrom('messages').where('id', 'in', ids).execute())
const takenOf = async ({ read }: ConsolePerson): Promise<Partial<StartAnswer>> => {
  const { liveSms, takenBy } = (await read('start/read')).body as StartAnswer
  return { liveSms, takenBy }
}

test('what simulators alone took is not said to have been sent, nor when its messages are gone', async () => {
  const { accountId } = house.bob
  await addRemoved('dev_play', accountId, 'simulator')
  expect(await takenOf(house.bob)).toEqual({ liveSms: 0, takenBy: null })
  await take(accountId, 'dev_play', ['msg_p'])
  expect(await takenOf(house.bob)).toEqual({ liveSms: 1, takenBy: 'simulators' })
  await forgetMessages(['msg_p'])
  expect(await takenOf(house.bob)).toEqual({ liveSms: 1, takenBy: 'simulators' })
})

test('that real SMS were sent is remembered, whatever a simulator took since and retention removed', async () => {
  const { accountId } = house.ada
  await addRemoved('dev_real', accountId, 'smpp')
  await addRemoved('dev_simulator', accountId, 'simulator')
  await take(accountId, 'dev_real', ['msg_a'])
  expect(await takenOf(house.ada)).toEqual({ liveSms: 1, takenBy: 'devices' })
  const simulated = Array.from({ length: 60 }, (_, i) => `msg_b${String(i).padStart(2, '0')}`)
  await take(accountId, 'dev_simulator', simulated)
  expect(await takenOf(house.ada)).toEqual({ liveSms: 61, takenBy: 'both' })
  await forgetMessages(['msg_a'])
  expect(await takenOf(house.ada)).toEqual({ liveSms: 61, takenBy: 'both' })
})

test('SMS over own devices that are free count as sent, also when their messages are gone', async () => {
  const { accountId } = house.ada
  const { liveSms = 0 } = await takenOf(house.ada)
  await house.app.storage.writer.write((tx) =>
    tx
      .updateTable('wallets')
      .set({ own_used: 3 })
      .where('account_id', '=', accountId)
      .where('mode', '=', 'live')
      .execute(),
  )
  expect(await takenOf(house.ada)).toMatchObject({ liveSms: liveSms + 3 })
})

test('first steps know devices that were reported of late, and name none that is the operator’s', async () => {
  await addReported('dev_a_gone', house.ada.accountId, 3_600_000)
  await addReported('dev_b_bobs', house.bob.accountId, 0)
  expect(await deviceOf()).toBeNull()
  await addReported('dev_d_shared', null, 0)
  expect(await deviceOf()).toEqual({ name: null, isShared: true })
  await addReported('dev_c_own', house.ada.accountId, 0)
  expect(await deviceOf()).toEqual({ name: 'Name of dev_c_own', isShared: false })
})

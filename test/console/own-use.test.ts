import { takeChange } from '../../src/messages/core/change-number.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BalanceAnswer } from '../../src/api/console/account/balance-calls.ts'
import type { DevicesAnswer } from '../../src/api/console/devices/device-calls.ts'
import type { NowAnswer } from '../../src/api/console/messages/overview-calls.ts'
import type { OperatedAccount } from '../../src/api/console/operator/operator-calls.ts'
import { utcDay } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { sendRequest } from '../send-request.ts'
import { startConsole, type TestConsole } from './start-console.ts'

/** What the console says of own devices that cost nothing. */
let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
})
afterAll(() => house.stop())

const summary = async () => (await house.ada.read('balance/summary')).body as BalanceAnswer
const now = async () => ((await house.ada.read('overview/now')).body as NowAnswer).balance
const write = (run: (tx: Tx) => Promise<unknown>) => house.app.storage.writer.write(run)

test('own use is shown beside the balance, and a low balance is a warning only if it is spent while own devices carry', async () => {
  const { accountId } = house.ada
  await house.ada.change('balance/threshold', { threshold: 10 })
  expect(await summary()).toMatchObject({ isLow: true, areOwnFree: false, ownUsed: 0, ownReserved: 0 })
  expect(await now()).toMatchObject({ isLow: true, areOwnFree: false })
  const nowMs = Date.now()
  const device = { id: 'dev_own', account_id: accountId, mode: 'live', kind: 'smpp', name: 'Own', state: 'enabled', senders: '[]', settings: '{}', created_at: nowMs, updated_at: nowMs } as const // prettier-ignore
  await write((tx) => insertRows(tx, 'devices', [device]))
  expect(await summary()).toMatchObject({ isLow: true, areOwnFree: false })
  await write((tx) => tx.updateTable('accounts').set({ own_devices: 'free' }).where('id', '=', accountId).execute()) // prettier-ignore
  expect(await summary()).toMatchObject({ isLow: false, areOwnFree: true })
  expect(await now()).toMatchObject({ isLow: false, areOwnFree: true })
  const day = { account_id: accountId, mode: 'live', day: utcDay(nowMs) - 30, parts: 1 } as const
  await write((tx) => insertRows(tx, 'usage_days', [day]))
  expect(await summary()).toMatchObject({ isLow: true, areOwnFree: true })
  expect(await now()).toMatchObject({ isLow: true, areOwnFree: true })
  await write((tx) => tx.updateTable('usage_days').set({ day: day.day - 1 }).where('account_id', '=', accountId).execute()) // prettier-ignore
  expect([(await summary()).isLow, (await now()).isLow]).toEqual([false, false])
  const request = sendRequest(
    { ids: createIds({ now: Date.now }), nowMs },
    { accountId, parts: 3, paidBy: 'own_device' },
  )
  await write((tx) => sendMessages(tx, [request], takeChange(tx, nowMs)))
  expect(await now()).toMatchObject({ available: 10, reserved: 0, ownReserved: 3, ownUsed: 0 })
})

test('the page of devices counts what waits for an own device that is not enabled, also for each, in live mode only', async () => {
  const stranded = async (mode: 'live' | 'test') =>
    ((await house.ada.read('devices/list', { hours: 24 }, { mode })).body as DevicesAnswer).stranded
  expect(await stranded('live')).toEqual({ messages: 0, expireBy: null })
  await write((tx) => tx.updateTable('devices').set({ state: 'disabled' }).where('id', '=', 'dev_own').execute()) // prettier-ignore
  const waiting = { messages: 1, expireBy: expect.any(Number) }
  expect(await stranded('live')).toEqual(waiting)
  const [own] = ((await house.ada.read('devices/list', { hours: 24 })).body as DevicesAnswer).devices
  expect(own).toMatchObject({ id: 'dev_own', status: 'disabled', waiting })
  expect((await house.ada.read('devices/one', { deviceId: 'dev_own', hours: 24 })).body).toMatchObject({
    waiting,
  })
  expect(await stranded('test')).toEqual({ messages: 0, expireBy: null })
})

test('the accounts of the operator say what own devices cost there, and what they sent', async () => {
  const { userId, accountId } = house.ada
  await write((tx) => tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', userId).execute())
  const { body } = await house.ada.read('operator/accounts', { words: '' })
  const { accounts } = body as { accounts: OperatedAccount[] }
  expect(accounts.find(({ id }) => id === accountId)).toMatchObject({ ownDevices: 'free', live: { ownUsed: 0 } }) // prettier-ignore
})

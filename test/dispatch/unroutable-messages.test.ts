import { afterEach, beforeEach, expect, test } from 'vitest'
import { createUnroutableWatch } from '../../src/dispatch/sweepers/unroutable-messages.ts'
import { createLog } from '../../src/process/log.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { shortSimulatorKind } from './short-simulator.ts'

/** Devices named `dev_short…` join three parts. */

let house: MessagesFixture
let lines: { level: number; msg: string; account_id: string; max_parts: number }[]
let look: () => Promise<void>
beforeEach(async () => {
  house = await openMessagesFixture(shortSimulatorKind())
  await house.addAccount('acc_a', 10_000)
  lines = []
  const log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line) as never) })
  const { clock, pool, storage } = house
  const watch = createUnroutableWatch({ clock, log, pool, read: storage.read })
  look = () => watch.sweepAll()
})
afterEach(() => house.close())

async function setDevices(state: 'enabled' | 'disabled'): Promise<void> {
  await house.storage.writer.write(async (tx) => {
    await tx.updateTable('devices').set({ state }).execute()
    await touchDirectory(tx)
  })
  await house.pool.reloadIfChanged()
}

test('messages that are longer than any enabled device joins are told of, once', async () => {
  await house.addDevice('dev_short')
  await house.send({ parts: 4 })
  for (let times = 0; times < 3; times += 1) await look()
  expect(lines).toMatchObject([
    {
      account_id: 'acc_a',
      mode: 'live',
      max_parts: 3,
      msg: expect.stringContaining('more parts than any enabled device'),
    },
  ])
})

test('so are those of any length that lost their only device, and again when it happens again', async () => {
  await house.addDevice('dev_long', { settings: { offline: 'true' } })
  await house.send()
  await look()
  expect(lines).toEqual([])
  await setDevices('disabled')
  await look()
  await look()
  expect(lines).toMatchObject([{ max_parts: 0, msg: expect.stringContaining('no enabled device can carry') }])
  await setDevices('enabled')
  await look()
  await setDevices('disabled')
  await look()
  expect(lines).toHaveLength(2)
})

test('a device that is only away is waited for in silence: /status shows it', async () => {
  await house.addDevice('dev_long', { settings: { offline: 'true' } })
  await house.addDevice('dev_short')
  await house.send({ parts: 10 })
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['queued'])
  await look()
  expect(lines).toEqual([])
})

test('messages that a device of the account joins are no matter of concern', async () => {
  await house.addDevice('dev_short', { pace: [1, 3_600] })
  for (const parts of [3, 3, 3]) await house.send({ parts })
  await house.dispatcher.drain()
  expect(await house.statuses()).toContain('queued')
  await look()
  expect(lines).toEqual([])
})

test('every route is looked at, however many there are', async () => {
  await house.addDevice('dev_short', { senders: ['*'] })
  for (let i = 0; i < 150; i += 1) await house.send({ from: `S${i}`, parts: 4 })
  await look()
  expect(lines).toHaveLength(150)
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { eventually } from '../eventually.ts'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
})
afterEach(() => house.close())

async function setDraining(draining: 0 | 1): Promise<void> {
  await house.storage.writer.write(async (tx) => {
    await tx
      .updateTable('devices')
      .set((eb) => ({ draining, updated_at: eb('updated_at', '+', 1) }))
      .where('id', '=', 'dev_s')
      .execute()
    await touchDirectory(tx)
  })
  await house.pool.reloadIfChanged()
}
const deviceOf = async () =>
  (await house.storage.read.selectFrom('messages').select('device_id').execute()).map((row) => row.device_id)

test('a device that drains takes nothing new, ends what it holds, and says so', async () => {
  await house.addDevice('dev_s', { settings: { submit_delay_ms: '5000' } })
  await house.send()
  const opened = house.dispatcher.drain()
  const openOf = async () => house.pool.get('dev_s')?.inFlight
  await eventually(openOf, (open) => expect(open).toBe(1))
  await setDraining(1)
  expect(house.pool.get('dev_s')?.health).toMatchObject({ status: 'degraded', reasons: ['draining'] })
  await house.send()
  await eventually(
    async () => {
      await house.clock.advance(1_000)
      return openOf()
    },
    (open) => expect(open).toBe(0),
  )
  await opened
  await house.dispatcher.drain()
  expect((await house.statuses()).toSorted()).toEqual(['queued', 'sent'])
  await setDraining(0)
  const last = house.dispatcher.drain()
  await eventually(openOf, (open) => expect(open).toBe(1))
  await house.clock.advance(5_000)
  await last
})

test('what waits goes by another device meanwhile, a shared one too', async () => {
  await house.addDevice('dev_s', { accountId: 'acc_a' })
  await house.addDevice('dev_shared', { accountId: null })
  await setDraining(1)
  await house.send()
  await house.dispatcher.drain()
  expect(await deviceOf()).toEqual(['dev_shared'])
})

import { expect, test } from 'vitest'
import { localDevices } from '../../src/connectors/android/local/local-devices.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { startLocalPhone } from './local-phone.ts'

/** The health of the app needs no password: WebService.kt of the app (1.68, 0cdc5d8). */
test('phones are found among silent addresses, and none of them gets a password', async () => {
  const { phones } = await startLocalPhone({ count: 3 })
  const views = await phones.views()
  const open = views.map(({ localPort }) => `127.0.0.1:${localPort}`)
  const silent = Array.from({ length: 250 }, (_, i) => `127.0.0.1:${i + 1}`)
  const startedMs = performance.now()
  const found = await localDevices.find([...silent, ...open], systemClock)
  expect(performance.now() - startedMs).toBeLessThan(8_000)
  expect(found).toEqual(open.map((address) => ({ address, appVersion: '1.68.0' })))
  const asked = phones.all.requests()
  expect(asked.map(({ path, authorization }) => [path, authorization])).toEqual(
    open.map(() => ['/health', undefined]),
  )
})

test('a public address is never asked', async () => {
  expect(await localDevices.find(['8.8.8.8:8080'], systemClock)).toEqual([])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { PhoneSearches } from '../../src/api/console/core/phone-searches.ts'
import type { FoundPhones } from '../../src/api/console/devices/find-phone-calls.ts'
import { findLocal } from '../../src/connectors/find-local.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { makeOperator } from '../e2e/signed-in.ts'
import { startLocalPhone } from '../phones/local-phone.ts'
import { startConsole, type TestConsole } from './start-console.ts'

/** A network with one other address, behind which the phone of the test is. */
const network = { asked: ['127.0.0.0/30'], tooLarge: ['10.0.0.0/8'], hosts: ['127.0.0.1'] }
let console: TestConsole
beforeAll(async () => {
  console = await startConsole({}, { networks: () => network })
  await makeOperator(console, console.ada.userId)
})
afterAll(() => console.stop())

test('an operator finds the phones in the networks of the server, and reads what was asked', async () => {
  const { ada, bob } = console
  const { phones, address } = await startLocalPhone()
  const port = Number(address.split(':')[1])
  const answer = await ada.change('devices/find-phones', { accountId: ada.accountId, port })
  expect(answer.body as FoundPhones).toEqual({
    phones: [{ address, appVersion: '1.68.0' }],
    asked: [
      'Asked 1 address of 127.0.0.0/30: 1 found.',
      'Not asked: 10.0.0.0/8, which is larger than a /22.',
    ],
  })
  const asked = phones.all.requests().map(({ path, authorization }) => [path, authorization])
  expect(asked).toEqual([['/health', undefined]])
  const progress = await ada.read('devices/search-progress', { accountId: ada.accountId })
  expect(progress.body).toEqual({ progress: null })
  const denied = await bob.change('devices/find-phones', { accountId: bob.accountId, port })
  expect(denied.status).toBe(404)
})

test('one search runs at a time for an account, says how far it is, and a failed one blocks no other', async () => {
  const searches = new PhoneSearches()
  const slow = Promise.withResolvers<string>()
  const first = searches.run('acc_1', (progress) => {
    progress(64, 254)
    return slow.promise
  })
  expect(searches.progressOf('acc_1')).toEqual({ asked: 64, of: 254 })
  await expect(searches.run('acc_1', async () => 'again')).rejects.toMatchObject({ code: 'rate_limited' })
  expect(await searches.run('acc_2', async () => 'meanwhile')).toBe('meanwhile')
  slow.resolve('found')
  expect([await first, searches.progressOf('acc_1')]).toEqual(['found', null])
  await expect(searches.run('acc_1', () => Promise.reject(new Error('no network')))).rejects.toThrow('no network') // prettier-ignore
  expect(await searches.run('acc_1', async () => 'later')).toBe('later')
})

test('a search says after each 64 addresses how many it has asked, and asks each once', async () => {
  const hosts = Array.from({ length: 150 }, (_, i) => `192.168.1.${i + 1}`)
  const asked: string[] = []
  const local = {
    defaultPort: 8080,
    find: async (addresses: readonly string[]) => {
      asked.push(...addresses)
      return []
    },
  } as unknown as Parameters<typeof findLocal>[0]['local']
  const said: number[][] = []
  await findLocal(
    { local },
    systemClock,
    { asked: ['192.168.1.0/24'], tooLarge: [], hosts },
    {
      progress: (...far) => void said.push(far),
    },
  )
  expect(said).toEqual([[0, 150], [64, 150], [128, 150]]) // prettier-ignore
  expect(asked).toEqual(hosts.map((host) => `${host}:8080`))
})

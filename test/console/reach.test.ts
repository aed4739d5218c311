import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReachInvitation } from '../../src/api/console/devices/reach-calls.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.stop())

test('the console shows what this machine found, and then the phone that opened the link', async () => {
  const { ada } = console
  const begun = (await ada.change('devices/begin-reach', {})).body as ReachInvitation
  expect(begun.link).toMatch(new RegExp(`^http://localhost:\\d+/mobile/v1/reach/${begun.nonce}$`))
  expect(begun.linkCode.size).toBeGreaterThan(20)
  expect(begun.steps.map(({ part }) => part)).toEqual(['name', 'port', 'path', 'route'])
  const progress = async () => (await ada.read('devices/reach-progress', { nonce: begun.nonce })).body
  expect(await progress()).toEqual({ reached: null })
  await fetch(begun.link, { headers: { 'accept': 'text/html', 'user-agent': 'Mozilla/5.0 (Linux; Android 10; K)' } })
  expect(await progress()).toEqual({
    reached: { atMs: expect.any(Number), from: '127.0.0.1', way: 'this machine: a cable or a proxy' },
  })
}) // prettier-ignore

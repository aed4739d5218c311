import { expect, test } from 'vitest'
import { storeMany } from '../e2e/many-messages.ts'
import { startConsole, type TestConsole } from './start-console.ts'

/** Somebody with 20,000 messages, and the way to ask for them all as a file of which nothing is read: it waits in the connection. */
async function startWithMany(env: Record<string, string> = {}): Promise<{
  house: TestConsole
  ask: (signal: AbortSignal) => Promise<Response>
}> {
  const house = await startConsole(env)
  const { ada } = house
  await storeMany(house.app.storage, ada.accountId, 20_000)
  const input = '{"filter":{},"format":"json"}'
  const query = new URLSearchParams({ account: ada.accountId, mode: 'live', input })
  const address = `${house.url}/console/api/history/export?${query.toString()}`
  return { house, ask: (signal) => fetch(address, { headers: { cookie: ada.cookie }, signal }) }
}

test('as many exports run at the same time as are set, one more is refused, and one that was given up makes room', async () => {
  const { house, ask } = await startWithMany({ ONESIXTY_EXPORTS_AT_ONCE: '3' })
  const controllers = Array.from({ length: 3 }, () => new AbortController())
  const answers = await Promise.all(controllers.map(({ signal }) => ask(signal)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const other = new AbortController()
  const statusOf = async (): Promise<number> => {
    const answer = await ask(other.signal)
    if (answer.status !== 200) await answer.arrayBuffer()
    return answer.status
  }
  expect(await statusOf()).toBe(429)
  controllers[0]?.abort()
  await expect.poll(statusOf, { timeout: 3_000 }).toBe(200)
  for (const controller of [...controllers, other]) controller.abort()
  await house.stop()
}, 30_000)

test('a server that stops waits for no export, and what came of it does not look whole', async () => {
  const { house, ask } = await startWithMany()
  const answer = await ask(new AbortController().signal)
  expect(answer.headers.get('x-total-rows')).toBe('20000')
  const startedMs = performance.now()
  await house.stop()
  expect(performance.now() - startedMs).toBeLessThan(2_000)
  await expect(answer.text()).rejects.toThrow('terminated')
}, 30_000)

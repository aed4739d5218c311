import { expect, test, vi } from 'vitest'
import { storeMany } from '../e2e/many-messages.ts'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'

/** Somebody with 20,000 messages, and the way to ask for them all as a file of which nothing is read: it waits in the connection. */
async function startWithMany(env: Record<string, string> = {}): Promise<{
  house: TestConsole
  ask: (signal: AbortSignal, person?: ConsolePerson) => Promise<Response>
}> {
  const house = await startConsole(env)
  const { ada } = house
  await storeMany(house.app.storage, ada.accountId, 20_000)
  const input = '{"filter":{},"format":"json"}'
  return {
    house,
    ask(signal, { accountId, cookie } = ada) {
      const query = new URLSearchParams({ account: accountId, mode: 'live', input })
      return fetch(`${house.url}/console/api/history/export?${query.toString()}`, {
        headers: { cookie },
        signal,
      })
    },
  }
}

const never = new AbortController().signal

/** How it is answered; what is refused is read to its end. */
async function statusOf(asked: Promise<Response>): Promise<number> {
  const answer = await asked
  if (answer.status !== 200) await answer.arrayBuffer()
  return answer.status
}

test('as many exports run at the same time as are set, one more is refused, and one that was given up makes room', async () => {
  const { house, ask } = await startWithMany({ ONESIXTY_EXPORTS_AT_ONCE: '3' })
  const { ada, bob } = house
  await storeMany(house.app.storage, bob.accountId, 20_000)
  const controllers = Array.from({ length: 3 }, () => new AbortController())
  const answers = await Promise.all(
    controllers.map(({ signal }, number) => ask(signal, number < 2 ? ada : bob)),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const other = new AbortController()
  expect(await statusOf(ask(other.signal, bob))).toBe(429)
  controllers[0]?.abort()
  await expect.poll(() => statusOf(ask(other.signal, bob)), { timeout: 3_000 }).toBe(200)
  for (const controller of [...controllers, other]) controller.abort()
  await house.stop()
})

test('many that are asked for at once are counted before the first byte of any, and one account has two', async () => {
  const { house, ask } = await startWithMany()
  const all = new AbortController()
  const statuses = await Promise.all(Array.from({ length: 6 }, () => statusOf(ask(all.signal))))
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 429, 429, 429, 429])
  expect(await statusOf(ask(all.signal, house.bob))).toBe(200)
  all.abort()
  await house.stop()
})

test('one that fails before its first byte gives its place back', async () => {
  const { house } = await startWithMany()
  const writes = vi.spyOn(house.app.storage.writer, 'write').mockRejectedValue(new Error('no room'))
  const faulty = { filter: {}, format: 'json' }
  for (let n = 0; n < 3; n++) expect((await house.ada.read('history/export', faulty)).status).toBe(500)
  writes.mockRestore()
  expect((await house.bob.read('history/export', faulty)).status).toBe(200)
  expect((await house.ada.read('history/export', faulty)).status).toBe(200)
  await house.stop()
})

test('one of which nobody takes anything is cut off, and makes room', async () => {
  const { house, ask } = await startWithMany({
    ONESIXTY_DOWNLOAD_STALL_S: '1',
    ONESIXTY_EXPORTS_PER_ACCOUNT: '1',
  })
  const other = new AbortController()
  const stalled = await ask(never)
  expect(await statusOf(ask(other.signal))).toBe(429)
  await expect.poll(() => statusOf(ask(other.signal)), { timeout: 10_000, interval: 100 }).toBe(200)
  await expect(stalled.text()).rejects.toThrow('terminated')
  other.abort()
  await house.stop()
})

test('a server that stops waits for no export, and what came of it does not look whole', async () => {
  const { house, ask } = await startWithMany()
  const answer = await ask(never)
  expect(answer.headers.get('x-total-rows')).toBe('20000')
  const startedMs = performance.now()
  await house.stop()
  expect(performance.now() - startedMs).toBeLessThan(2_000)
  await expect(answer.text()).rejects.toThrow('terminated')
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls } from '../../src/api/console/calls.ts'
import type { AnyCall } from '../../src/api/console/call.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
})
afterAll(() => house.stop())

const table: [string, AnyCall][] = Object.entries(calls)
const guarded = table.filter(([, { access }]) => access !== 'anyone')
const ask = (name: string, call: AnyCall, headers: Record<string, string>, query = '') =>
  fetch(`${house.url}/console/api/${name}${query}`, {
    method: call.kind === 'change' ? 'POST' : 'GET',
    headers: { ...(call.kind === 'change' ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(call.kind === 'change' ? { body: '{}' } : {}),
  })

test('there is something to guard', () => {
  expect(guarded.length).toBeGreaterThan(3)
})

test.each(guarded)('%s answers nobody without a session', async (name, call) => {
  const answer = await ask(name, call, { origin: house.url })
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, 'not_signed_in'])
})

test.each(table)('%s refuses an API key', async (name, call) => {
  const { testKey } = await house.openAccount(`Key-${name.replace('/', '-')}`)
  const answer = await ask(name, call, { origin: house.url, authorization: `Bearer ${testKey}` })
  await answer.arrayBuffer()
  expect(answer.status).toBe(401)
})

test.each(guarded.filter(([, { access }]) => access === 'member' || access === 'owner'))(
  '%s opens no account of somebody else',
  async (name, call) => {
    const query = `?account=${house.bob.accountId}&mode=live`
    const answer = await ask(name, call, { origin: house.url, cookie: house.ada.cookie }, query)
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'not_found'])
  },
)

test.each(guarded.filter(([, { access }]) => access === 'operator'))(
  '%s is hidden from whoever is no operator',
  async (name, call) => {
    const answer = await ask(name, call, { origin: house.url, cookie: house.ada.cookie })
    await answer.arrayBuffer()
    expect(answer.status).toBe(404)
  },
)

test.each(table.filter(([, { kind }]) => kind === 'change'))(
  '%s takes nothing from a foreign page',
  async (name, call) => {
    const foreign: Record<string, string>[] = [
      {},
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: house.url, 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of foreign) {
      const answer = await ask(name, call, { ...headers, cookie: house.ada.cookie })
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        403,
        'foreign_origin',
      ])
    }
  },
)

test('a session opens nothing below /api/v1', async () => {
  const answer = await fetch(`${house.url}/api/v1/balance`, { headers: { cookie: house.ada.cookie } })
  await answer.arrayBuffer()
  expect(answer.status).toBe(401)
})

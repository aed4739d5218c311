import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHooks } from '../../src/connectors/http/callbacks/hooks.ts'
import { eventually } from '../eventually.ts'
import { openHouseServer } from '../house-server.ts'
import { sizeOf } from '../proof-sizes.ts'
import { cli, cliJson } from '../run-command.ts'
import { testSecret } from '../test-database.ts'
import { openAccountAtProvider, shareProviderHouse } from './provider-house.ts'

shareProviderHouse()

/** A proxy in front of a server that takes each request whole, and loses each tenth answer to a POST. */
async function startLosingProxy(target: string) {
  const counts = { posts: 0, lost: 0 }
  const server = createServer((incoming, response) => {
    const { method, url, headers } = incoming
    const isLost = method === 'POST' && (counts.posts += 1) % 10 === 0
    const outgoing = request(new URL(url ?? '/', target), { method, headers }, (answer) => {
      if (!isLost) {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
        return
      }
      answer.resume()
      answer.on('end', () => {
        counts.lost += 1
        response.destroy()
      })
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts }
}

/** Another onesixty, in a process of its own, with an account whose device delivers everything at once. */
async function openUpstream(count: number) {
  const server = await openHouseServer({
    ownProcess: true,
    env: { ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1' },
  })
  const { dataFolder } = server
  const made = await cliJson<{ account_id: string; live_key: string }>(
    ['account', 'create', '--name', 'Net', '--email', 'net@example.org'],
    dataFolder,
  )
  const { account_id: accountId, live_key: liveKey } = made
  await cliJson(
    ['account', 'grant', '--account', accountId, '--sms', String(2 * count), '--note', 'x'],
    dataFolder,
  )
  await cliJson(
    ['device', 'add', 'simulator', '--account', accountId, '--name', 'Sim', '--set', 'delay_ms=0'],
    dataFolder,
  )
  return { server, dataFolder, accountId, liveKey }
}

interface Page {
  data: { status: string }[]
  next_cursor: string | null
}

async function pageOf(url: string, key: string, query: string): Promise<Page> {
  const answer = await fetch(`${url}/api/v1/history?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return (await answer.json()) as Page
}

/** One page of one message: a key that is asked for every page again and again is refused. */
const notYetDelivered =
  'limit=1&direction=outbound&status=queued&status=sending&status=sent&status=unconfirmed'

/** How many messages an account has in each status. */
async function statusesOf(url: string, key: string): Promise<Record<string, number>> {
  const counted: Record<string, number> = {}
  for (let cursor: string | null = ''; cursor !== null;) {
    const from: string = cursor === '' ? 'direction=outbound' : `cursor=${encodeURIComponent(cursor)}`
    const page = await pageOf(url, key, `limit=100&${from}`)
    for (const { status } of page.data) counted[status] = (counted[status] ?? 0) + 1
    cursor = page.next_cursor
  }
  return counted
}

const count = sizeOf('RELAYED_MESSAGES')

test('messages over another onesixty arrive once each, though each tenth answer is lost, and both ledgers are exact', async () => {
  const upstream = await openUpstream(count)
  const proxy = await startLosingProxy(upstream.server.url)
  const down = await openAccountAtProvider({
    settings: ['provider=onesixty', `base=${proxy.url}`, 'window=20'],
    secret: 'api_key',
    secretValue: upstream.liveKey,
  })
  const path = createHooks({ current: testSecret, former: [] }).pathOf(down.deviceId)
  const called = `${down.server.url}${path}/status`
  const added = await cli(
    ['webhook', 'add', '--account', upstream.accountId, '--url', called, '--mode', 'live', '--json'],
    { dataFolder: upstream.dataFolder, env: { ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1' } },
  )
  const { secret } = JSON.parse(added.stdout) as { secret: string }
  const set = await cli(['device', 'set', down.deviceId, '--secret-stdin', 'webhook_secret'], {
    dataFolder: down.server.dataFolder,
    stdin: `${secret}\n`,
  })
  expect(set).toMatchObject({ code: 0 })

  const numbers = Array.from({ length: count }, (_, i) => `+4915112${300_000 + i}`)
  for (let begin = 0; begin < count; begin += 100)
    expect(await down.send('Hello', numbers.slice(begin, begin + 100))).toMatchObject({ status: 202 })

  await eventually(
    () => pageOf(down.server.url, down.liveKey, notYetDelivered),
    (page) => expect(page.data).toEqual([]),
    60_000 + count * 300,
  )
  expect(await statusesOf(down.server.url, down.liveKey)).toEqual({ delivered: count })
  expect(proxy.counts.lost).toBeGreaterThanOrEqual(Math.floor(count / 10))
  expect(await statusesOf(upstream.server.url, upstream.liveKey)).toEqual({ delivered: count })
  for (const [url, key] of [
    [down.server.url, down.liveKey],
    [upstream.server.url, upstream.liveKey],
  ] as const) {
    const answer = await fetch(`${url}/api/v1/balance`, { headers: { authorization: `Bearer ${key}` } })
    expect(await answer.json()).toMatchObject({ used: count, reserved: 0 })
  }
  for (const dataFolder of [down.server.dataFolder, upstream.dataFolder])
    expect(await cliJson(['doctor'], dataFolder)).toMatchObject({ ok: true })
}, 600_000)

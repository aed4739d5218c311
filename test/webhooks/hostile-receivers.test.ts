import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createWebhookSecretBox } from '../../src/runtime/secret-box.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { loadInstanceSecret } from '../../src/process/instance-secret.ts'
import { readConfig } from '../../src/config.ts'
import { addEndpoint } from '../../src/webhooks/endpoint-store.ts'
import { eventually } from '../eventually.ts'
import { startApp, type TestApp } from '../harness.ts'
import { databaseSettings } from '../test-database.ts'
import { openReceiver, type Receiver, verified } from './receiver.ts'
import { anywhere } from './webhook-house.ts'

let app: TestApp
let good: Receiver
let bad: Receiver
const timeoutMs = 2_000
const startWith = (webhookTimeoutMs: number): Promise<TestApp> =>
  startApp({
    ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1',
    ONESIXTY_WEBHOOK_ENDPOINTS: '0',
    ONESIXTY_WEBHOOK_TIMEOUT_MS: String(webhookTimeoutMs),
    ONESIXTY_SEND_PER_MINUTE: '0',
  })
beforeAll(async () => {
  ;[good, bad] = [await openReceiver(), await openReceiver()]
  app = await startWith(timeoutMs)
})
afterAll(async () => {
  await app.stop()
  await good.close()
  await bad.close()
})

async function endpoint(
  accountId: string,
  url: string,
  of = app,
): Promise<{ endpointId: string; secret: string }> {
  const secret = await loadInstanceSecret(readConfig(databaseSettings(of.dataFolder)))
  const deps = {
    ids: createIds({ now: Date.now }),
    nowMs: Date.now(),
    randomBytes,
    maxEndpoints: 0,
    guard: anywhere,
  }
  return of.app.storage.writer.write((tx) =>
    addEndpoint(
      tx,
      { ...deps, secretBox: createWebhookSecretBox(secret) },
      { accountId, url, actor: 'test' },
    ),
  )
}

const triesOf = (endpointId: string) =>
  app.app.storage.read
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .orderBy('at')
    .execute()

/** What is wrong with each, and what is written down of it. */
const hostile: Record<string, { handle: Receiver['handle']; status: number | null; failure: RegExp | null; isDone: boolean }> = {
  hangs: { handle: () => undefined, status: null, failure: /^timed_out/, isDone: false },
  'drips its headers': {
    handle: (request) => {
      const { socket } = request
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('X-Drip: 1\r\n'), 100)
      socket.on('close', () => clearInterval(timer))
    },
    status: null,
    failure: /^(timed_out|no_http)/,
    isDone: false,
  },
  'drips its body': {
    handle: (_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 50)
      response.on('close', () => clearInterval(timer))
    },
    status: 200,
    failure: null,
    isDone: true,
  },
  'answers without end': {
    handle: (_, response) => {
      response.writeHead(500)
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
      }
      response.on('drain', more)
      more()
    },
    status: 500,
    failure: null,
    isDone: false,
  },
  'answers with huge headers': {
    handle: (_, response) => response.writeHead(200, { 'x-huge': 'x'.repeat(60_000) }).end(),
    status: null,
    failure: /^no_http: HPE_HEADER_OVERFLOW/,
    isDone: false,
  },
  redirects: { handle: (_, response) => response.writeHead(307, { location: '/elsewhere' }).end(), status: 307, failure: null, isDone: false },
  'says 429': { handle: (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end(), status: 429, failure: null, isDone: false },
  'says 410': { handle: (_, response) => response.writeHead(410).end(), status: 410, failure: null, isDone: false },
  'hangs up': { handle: (request) => request.socket.destroy(), status: null, failure: /^no_http/, isDone: false },
  'speaks no HTTP': { handle: (request) => request.socket.end('SSH-2.0-OpenSSH\r\n'), status: null, failure: /^no_http/, isDone: false },
  'breaks off behind its headers': { handle: (request) => request.socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n'), status: 200, failure: null, isDone: true },
  'answers NUL and halves of characters': { handle: (_, response) => response.end(Buffer.from([0, 0xe2, 0x82, 0, 0xff])), status: 200, failure: null, isDone: true },
} // prettier-ignore

test.for(Object.entries(hostile))(
  'a receiver that %s is written down as what it is',
  async ([name, { handle, status, failure, isDone }]) => {
    const account = await app.openAccount(`Hostile-${name.replaceAll(/\W/g, '-')}`)
    const { endpointId } = await endpoint(account.accountId, `${bad.url}/${encodeURIComponent(name)}`)
    bad.handle = handle
    const before = bad.received.length
    await app.client.send(account.testKey, { to: '+15005550002', text: 'Hello' })
    const [tried] = await eventually(
      () => triesOf(endpointId),
      (tries) => expect(tries.length).toBeGreaterThan(0),
      10_000,
    )
    expect(tried).toMatchObject({ status })
    if (failure !== null) expect(tried?.failure).toMatch(failure)
    expect((tried?.answer ?? '').length).toBeLessThanOrEqual(1_024)
    expect(tried?.duration_ms).toBeLessThan(timeoutMs + 1_500)
    expect(bad.received.slice(before).every(({ path }) => path !== '/elsewhere')).toBe(true)
    const delivery = await app.app.storage.read
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('endpoint_id', '=', endpointId)
      .where('event_id', '=', tried!.event_id)
      .executeTakeFirstOrThrow()
    expect(delivery.outcome).toBe(isDone ? 'delivered' : null)
  },
)

test('a hundred endpoints that hang delay no other: 99 of 100 messages are told within 2 s, and none behind a try of theirs', async () => {
  const patientMs = 15_000
  const house = await startWith(patientMs)
  onTestFinished(() => house.stop())
  const account = await house.openAccount('Patient')
  const other = await house.openAccount('Other')
  bad.handle = () => undefined
  for (let i = 0; i < 100; i++) await endpoint(other.accountId, `${bad.url}/hang/${i}`, house)
  const { secret } = await endpoint(account.accountId, good.url, house)
  good.received.length = 0
  const sentAt = new Map<string, number>()
  for (let i = 0; i < 100; i++) {
    if (i % 10 === 0) await house.client.send(other.testKey, { to: '+15005550006', text: 'Hello' })
    sentAt.set(`n${i}`, performance.now())
    await house.client.send(account.testKey, { to: '+15005550006', text: 'Hello', client_reference: `n${i}` })
  }
  // Accepted, sent and delivered about three seconds later.
  await eventually(
    () => good.received.length,
    (count) => expect(count).toBe(300),
    30_000,
  )
  const delays = good.received
    .map((one) => ({ event: verified(secret, one), atMs: one.atMs }))
    .filter(({ event }) => event.type === 'message.queued')
    .map(({ event, atMs }) => atMs - (sentAt.get(event.data.message?.client_reference ?? '') as number))
    .toSorted((a, b) => a - b)
  expect(delays).toHaveLength(100)
  expect(delays[98]).toBeLessThanOrEqual(2_000)
  expect(delays.at(-1)).toBeLessThan(patientMs)
}, 60_000)

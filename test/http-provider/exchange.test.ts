import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Link, Outcome } from '../../src/connectors/connector.ts'
import { httpKind } from '../../src/connectors/http/http.ts'
import { createOutgoing } from '../../src/outgoing/create-outgoing.ts'
import { createWorld, submissionOf } from '../contracts/contract-subject.ts'

/** What a link does on the wire, against servers of Node; answers that HTTP does not allow are written as they are. */

const outgoing = createOutgoing(['127.0.0.1', 'localhost'], 'ONESIXTY_PROVIDER_ALLOW')

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  return (server.address() as AddressInfo).port
}

const declarationOf = (more: object = {}): string =>
  JSON.stringify({
    format: 1, name: 'national', title: 'National', hosts: [],
    settings: { base: { says: 'Address.', required: true } },
    secrets: { key: { says: 'Key.' }, secret: { says: 'Secret.' } },
    auth: { bearer: '{key}' },
    send: { url: '{base}/sms', json: { to: '{to}', text: '{text}' }, answers: [{ status: '200', means: 'accepted', id: '/id' }] },
    ...more,
  }) // prettier-ignore

async function openLink(base: string, more: object = {}, settings: Record<string, string> = {}) {
  const world = createWorld()
  const link: Link = httpKind.createLink(
    {
      id: 'dev_1',
      name: 'National',
      settings: { declaration: declarationOf(more), base, timeout_ms: '1000', ...settings },
      secrets: { key: 'k-canary', secret: 's-canary' },
    },
    { ...world.tools, outgoing, schedule: (ms, task) => cancelable(setTimeout(task, ms)) },
    world.events,
  )
  await link.start()
  onTestFinished(() => link.stop())
  return link
}
const cancelable = (timer: NodeJS.Timeout) => (): void => clearTimeout(timer)

type Handle = (request: IncomingMessage, response: ServerResponse, body: string) => void
async function startProvider(handle: Handle) {
  const seen: { path: string; authorization: string | undefined; body: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      seen.push({ path: request.url ?? '', authorization: request.headers.authorization, body })
      handle(request, response, body)
    })
  })
  return { base: `http://127.0.0.1:${await listen(server)}`, seen }
}

/** A server that reads a whole request and then writes these octets. */
async function startRaw(answer: (socket: Socket) => void) {
  let requests = 0
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      requests += 1
      answer(socket)
    })
  })
  return { base: `http://127.0.0.1:${await listen(server)}`, requests: () => requests }
}

const accepted = JSON.stringify({ id: 'id-1' })

describe('what is no whole answer that can be read leaves the outcome unknown, after one request', () => {
  const answers: readonly [name: string, answer: (socket: Socket) => void][] = [
    ['an end without an answer', (socket) => socket.end()],
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['no answer in time', () => undefined],
    ['half an answer', (socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n${accepted}`)],
    ['a chunk that is none', (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}')],
    ['an answer of 64 KiB and one octet', (socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 65537\r\n\r\n${' '.repeat(65_523)}${accepted}`)],
    ['an answer that is compressed', (socket) => {
      const zipped = gzipSync(accepted)
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${zipped.length}\r\n\r\n`)
      socket.end(zipped)
    }],
    ['something that is not HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n')],
    ['another type', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>')],
    ['an upgrade', (socket) => socket.end('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')],
  ] // prettier-ignore
  test.for(answers)('%s', async ([, answer]) => {
    const { base, requests } = await startRaw(answer)
    const link = await openLink(base)
    expect((await link.submit(submissionOf())).kind).toBe('unknown')
    expect(requests()).toBe(1)
  })
})

test('an answer of 64 KiB, one behind a 100, and the first of two are read', async () => {
  const whole = `HTTP/1.1 200 OK\r\ncontent-length: ${accepted.length}\r\n\r\n${accepted}`
  const padded = `${' '.repeat(65_536 - accepted.length)}${accepted}`
  const answers = [
    `HTTP/1.1 200 OK\r\ncontent-length: 65536\r\n\r\n${padded}`,
    `HTTP/1.1 100 Continue\r\n\r\n${whole}`,
    `${whole}HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n`,
  ]
  for (const answer of answers) {
    const { base } = await startRaw((socket) => socket.end(answer))
    expect(await (await openLink(base)).submit(submissionOf())).toMatchObject({
      kind: 'accepted',
      networkIds: ['id-1'],
    })
  }
})

test('a redirect is not followed, and takes the device offline', async () => {
  const other = await startProvider((_, response) => response.end())
  const { base } = await startProvider((_, response) =>
    response.writeHead(307, { location: `${other.base}/steal` }).end(),
  )
  const link = await openLink(base)
  expect((await link.submit(submissionOf())).kind).toBe('unavailable')
  expect(link.health()).toMatchObject({ status: 'offline', reasons: ['answer_not_understood'] })
  expect(other.seen).toEqual([])
})

const unreached: readonly [name: string, base: (port: number) => string, reason: string][] = [
  ['a port on which nothing listens', () => 'http://127.0.0.1:1', 'unreachable'],
  ['a server without TLS at an https address', (port) => `https://127.0.0.1:${port}`, 'tls_failed'],
  ['a host that is not allowed', () => 'https://api.example.com', 'invalid_settings'],
]
test.for(unreached)('%s gets no octet of a message, and the reason is said', async ([, baseOf, reason]) => {
  const { base, requests } = await startRaw((socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'))
  const link = await openLink(baseOf(Number(new URL(base).port)))
  const outcome: Outcome = await link.submit(submissionOf())
  expect(outcome.kind).toBe('unavailable')
  expect(link.health().reasons).toEqual([reason])
  // A handshake is no request: what it wrote is not HTTP.
  expect(requests()).toBeLessThanOrEqual(1)
})

test('a message that expires, or whose recipient opts out, while the connection opens is not written', async () => {
  const { base, seen } = await startProvider((_, response) => response.end(accepted))
  const link = await openLink(base)
  expect((await link.submit(submissionOf({ isKnownOptedOut: () => true }))).kind).toBe('unavailable')
  expect(await link.submit(submissionOf({ validityMs: 0 }))).toMatchObject({
    kind: 'refused',
    lasts: 'expired',
  })
  expect(seen).toEqual([])
  expect(link.health().status).toBe('online')
})

describe('an account with OAuth', () => {
  /** Words: RFC 6749, sections 4.4.2 and 5.1. */
  const oauth = { auth: { oauth: { url: '{base}/token', id: '{key}', secret: '{secret}', scope: 'sms' } } }
  const tokens = (refuses: (authorization: string | undefined) => boolean) => {
    let made = 0
    return startProvider((request, response) => {
      if (request.url === '/token') {
        made += 1
        response.setHeader('content-type', 'application/json')
        return response.end(
          JSON.stringify({ access_token: `token-${made}`, token_type: 'Bearer', expires_in: 3600 }),
        )
      }
      return refuses(request.headers.authorization) ? response.writeHead(401).end() : response.end(accepted)
    })
  }

  test('asks for one token, for all messages that wait for it', async () => {
    const { base, seen } = await tokens(() => false)
    const link = await openLink(base, oauth)
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => link.submit(submissionOf())))
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'accepted'))
    const asked = seen.filter(({ path }) => path === '/token')
    expect(asked).toEqual([
      {
        path: '/token',
        authorization: `Basic ${Buffer.from('k-canary:s-canary').toString('base64')}`,
        body: 'grant_type=client_credentials&scope=sms',
      },
    ])
    expect(
      new Set(seen.filter(({ path }) => path === '/sms').map(({ authorization }) => authorization)),
    ).toEqual(new Set(['Bearer token-1']))
  })

  test('renews a token that is refused once, and then the account is refused', async () => {
    const once = await tokens((authorization) => authorization === 'Bearer token-1')
    const link = await openLink(once.base, oauth)
    expect((await link.submit(submissionOf())).kind).toBe('accepted')
    expect(once.seen.map(({ path }) => path)).toEqual(['/token', '/sms', '/token', '/sms'])
    const always = await tokens(() => true)
    const other = await openLink(always.base, oauth)
    expect((await other.submit(submissionOf())).kind).toBe('unavailable')
    expect(other.health().reasons).toEqual(['credentials_refused'])
    expect(always.seen.map(({ path }) => path)).toEqual(['/token', '/sms', '/token', '/sms'])
  })

  test('submits nothing while it gets no token', async () => {
    const { base, seen } = await startProvider((_, response) => response.writeHead(401).end())
    const link = await openLink(base, oauth)
    expect((await link.submit(submissionOf())).kind).toBe('unavailable')
    expect(link.health()).toMatchObject({ status: 'offline', reasons: ['credentials_refused'] })
    expect(seen.map(({ path }) => path)).toEqual(['/token'])
  })
})

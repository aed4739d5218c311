import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sizeOf } from '../proof-sizes.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

/**
 * The same bytes to a server that reads ordinary requests straight from their connections, and to one of which `node:http` reads
 * all: the same answers, byte for byte but for times and ids.
 */
const noLimits = { sendPerMinute: 0, readPerMinute: 0, failedAuthPerMinute: 0, playSms: 1_000_000_000 }

let direct: TestApi
let byNode: TestApi
beforeAll(async () => {
  direct = await startTestApi({ config: { ...noLimits, directRequests: 'on' } })
  byNode = await startTestApi({ config: { ...noLimits, directRequests: 'off' } })
})
afterAll(async () => {
  await direct.close()
  await byNode.close()
})

interface MadeRequest {
  line: string
  headers: readonly string[]
  body: string
  /** Where the bytes are cut into writes, in parts of their length. */
  cuts: readonly number[]
}

const often = <T>(usual: T, ...odd: T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 15 * odd.length, arbitrary: fc.constant(usual) },
    { weight: odd.length, arbitrary: fc.constantFrom(...odd) },
  )

const line = fc
  .tuple(
    often('POST', 'GET', 'PUT', 'DELETE', 'post', 'OPTIONS'),
    often('/api/v1/send', '/api/v1/send?', '/api/v1/send?a=1', '/api/v1/send#x', '/api/v1/send/', '/api/v1/Send', '/api/v1/sen%64', '//api/v1/send', 'http://x/api/v1/send', '/api/v1/balance', '/api/v1/balance?x=y', '/api/v1/history?limit=1', '/api/v1/status', '/api/v1/status?id=no', '/healthz', '*', `/api/v1/send?${'a'.repeat(9000)}`),
    often('HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 '),
  )
  .map((parts) => parts.join(' ')) // prettier-ignore

const name = (text: string): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom(text, text.toLowerCase(), text.toUpperCase()))
const header = (text: string, values: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(name(text), often(': ', ':', ':  ', ' : ', ':\t'), values, often('', ' ', '\t '))
    .map((parts) => parts.join(''))
const sometimes = (one: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: one.map((text) => [text]) },
  )

const headers = fc
  .tuple(
    header('Host', often('x', 'sms.example.org:80', '', 'a b')).map((text) => [text]),
    header('Authorization', often('Bearer TEST', 'bearer TEST', 'Bearer  TEST', 'Bearer nobody', 'Basic eDp5', '', 'Bearer')).map((text) => [text]),
    header('Content-Type', often('application/json', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'application/json;', 'text/plain', 'APPLICATION/JSON', '')).map((text) => [text]),
    sometimes(header('Accept', often('*/*', 'application/json', 'text/html', 'application/json;q=0'))),
    sometimes(header('Connection', often('keep-alive', 'Keep-Alive', 'close', 'upgrade', 'keep-alive, x'))),
    sometimes(header('Idempotency-Key', often('"k1"', 'k1', '', 'ä', 'x'.repeat(256)))),
    sometimes(header('Proxy-Connection', often('keep-alive', 'close'))),
    sometimes(header('Content-Encoding', often('identity', 'gzip'))),
    sometimes(header('Expect', often('100-continue', 'anything'))),
    sometimes(header('X-Forwarded-For', often('10.0.0.1', 'x', ''))),
    sometimes(header('Traceparent', often('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'x'))),
    sometimes(header('X-Long', fc.constantFrom('y'.repeat(3900), 'y'.repeat(8000), 'y'.repeat(17_000)))),
    sometimes(fc.constantFrom('Host: y', 'Authorization: Bearer TEST', 'Content-Type: application/json', 'Content-Length: 3', 'Set-Cookie: a=b', '__proto__: x', 'constructor: y', 'X: \u0000', 'X: ä', 'Bad Header: x', 'X', ': x', ' folded', 'Upgrade: h2c')),
  )
  .chain((groups) => fc.shuffledSubarray(groups.flat(), { minLength: groups.flat().length })) // prettier-ignore

const send = { to: '+4915112345678', text: 'Hello' }
const body = fc.oneof(
  { weight: 3, arbitrary: fc.constant(JSON.stringify(send)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      JSON.stringify({ ...send, dry_run: true }),
      JSON.stringify({ ...send, text: 'ü€😀 \u2028' }),
      JSON.stringify({ ...send, to: ['+4915112345678', 'x'] }),
      JSON.stringify({ ...send, text: 'x'.repeat(70_000) }),
      '{"to":1,"to":2}', '{', '', '[]', 'null', '\uFEFF{}', '{"a":'.repeat(9) + '1' + '}'.repeat(9), '\u0000',
    ),
  },
) // prettier-ignore

const request: fc.Arbitrary<MadeRequest> = fc.record({
  line,
  headers,
  body,
  cuts: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }) },
  ),
})

test(
  'whatever is asked, a request that is read straight from its connection is answered as by node:http',
  { timeout: 0 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 4 }), async (requests) => {
        const [first, second] = await Promise.all([converse(direct, requests), converse(byNode, requests)])
        // A server that closes while more is written to it may reset the connection before its answer is read.
        const read = Math.min(first.indexOf(reset) >>> 0, second.indexOf(reset) >>> 0)
        expect(first.slice(0, read)).toEqual(second.slice(0, read))
      }),
      { numRuns: sizeOf('BOTH_WAYS') },
    )
    expect(byNode.logLines.length).toBe(direct.logLines.length)
    // Had most of them been handed over, this would prove little.
    expect(direct.readByNode()).toBeLessThan(0.7 * byNode.readByNode())
  },
)

const reset = 'reset'

/** Writes each request once the one before it is answered, and gives all that came, until the server closed. */
async function converse(api: TestApi, requests: readonly MadeRequest[]): Promise<string[]> {
  const socket = connect({ port: api.port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const answers: string[] = []
  try {
    for (const made of requests) {
      const answer = await ask(socket, bytesOf(made, api.account.testKey), made.cuts)
      answers.push(answer === '' ? reset : comparable(answer))
      if (!isWhole(answer) || /connection: close/i.test(answer)) break
    }
  } finally {
    socket.destroy()
  }
  return answers
}

function bytesOf({ line: first, headers: lines, body: text }: MadeRequest, key: string): Buffer {
  const bytes = Buffer.from(text)
  const length = first.startsWith('GET') && text.length > 20 ? [] : [`Content-Length: ${bytes.length}`]
  const head = [first, ...lines, ...length].join('\r\n').replaceAll('TEST', key)
  const sent = length.length === 0 ? Buffer.alloc(0) : bytes
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), sent])
}

/** Settles with the answer when it is whole, or the connection is closed. An interim answer is part of it. */
async function ask(socket: Socket, bytes: Buffer, cuts: readonly number[]): Promise<string> {
  let received = ''
  const answered = new Promise<string>((resolve) => {
    const take = (chunk: Buffer): void => {
      received += chunk.toString('latin1')
      if (isWhole(received)) resolve(received)
    }
    socket.on('data', take)
    socket.once('close', () => resolve(received))
  })
  const ends = [...cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b), bytes.length]
  let start = 0
  for (const end of ends) {
    if (end > start && !socket.destroyed)
      await new Promise<void>((done) => socket.write(bytes.subarray(start, end), () => done()))
    start = Math.max(start, end)
  }
  const answer = await answered
  socket.removeAllListeners('data')
  return answer
}

function isWhole(received: string): boolean {
  const rest = received.replace(/^HTTP\/1\.1 100 [^]*?\r\n\r\n/, '')
  const end = rest.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, end))?.[1] ?? 0)
  return rest.length >= end + 4 + length
}

/** Times, ids and cursors differ; the order of headers and their letters do not. */
const comparable = (answer: string): string =>
  answer
    .replace(/Date: [^\r]+/gi, 'Date: …')
    .replace(/\b(req|snd|msg|acc|key)_[0-9a-z]{20,}/g, '$1_…')
    .replace(/(\bcursor=|"next_cursor":")[\w-]+/g, '$1…')

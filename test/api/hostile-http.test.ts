import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawExchange, rawRequest, rawSend } from './raw-request.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const body = JSON.stringify({ to: '+4915112345678', text: 'Hello' })
const authorized = () => `Host: x\r\nConnection: close\r\nAuthorization: Bearer ${api.account.testKey}\r\n`

test('a length beside chunks, the root of smuggling, is malformed', async () => {
  const answers = await rawExchange(
    api.port,
    `POST /api/v1/send HTTP/1.1\r\n${authorized()}Content-Type: application/json\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/v1/balance HTTP/1.1\r\n${authorized()}\r\n`,
  )
  expect(answers.map(({ status, json }) => [status, json.code])).toEqual([[400, 'malformed_request']])
})

test('framing that proxies read differently is malformed and ends the connection', async () => {
  const framings = [
    'Content-Length: 5\r\nContent-Length: 6\r\n',
    'Content-Length: +5\r\n',
    'Content-Length: 5, 5\r\n',
    'Content-Length: -1\r\n',
    'Transfer-Encoding: chunked, identity\r\n',
    'Transfer-Encoding : chunked\r\n',
    'Transfer-Encoding: xchunked\r\n',
    'X: a\r\n b\r\n',
    'Bad Header: x\r\n',
    'X: \0\r\n',
  ]
  for (const framing of framings) {
    const answers = await rawExchange(
      api.port,
      `POST /api/v1/send HTTP/1.1\r\n${authorized()}Content-Type: application/json\r\n${framing}\r\n`,
    )
    expect(
      answers.map(({ status }) => status),
      framing,
    ).toEqual([400])
    expect(answers[0]?.headers).toMatchObject({ connection: 'close', 'cache-control': 'no-store' })
    expect(answers[0]?.headers['content-type']).toBe('application/problem+json')
    expect(answers[0]?.headers['request-id']).toMatch(/^req_/)
    expect(answers[0]?.json.request_id).toBe(answers[0]?.headers['request-id'])
  }
})

test('a broken chunk in the middle of a body is malformed', async () => {
  const answer = await rawRequest(
    api.port,
    `POST /api/v1/send HTTP/1.1\r\n${authorized()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"to"\r\nZZ\r\n`,
  )
  expect(answer).toMatchObject({ status: 400, json: { code: 'malformed_request' } })
  expect(answer.json.detail).toMatch(/Nothing was sent\.$/)
})

test('what is no HTTP at all gets one 400', async () => {
  for (const bytes of [
    '\x16\x03\x01\x02\x00\x01\x00',
    'hello\r\n\r\n',
    'GET\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ]) {
    expect((await rawRequest(api.port, bytes)).status, JSON.stringify(bytes)).toBe(400)
  }
})

test('HTTP/1.1 needs exactly one Host', async () => {
  for (const hosts of ['', 'Host: a\r\nHost: b\r\n', 'Host: a\r\nhost: a\r\n']) {
    const answer = await rawRequest(api.port, `GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
    expect(answer, hosts).toMatchObject({ status: 400, json: { code: 'malformed_request' } })
  }
  expect((await rawRequest(api.port, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200)
})

test('an address in absolute form is taken for its path, as every server must', async () => {
  const answer = await rawRequest(
    api.port,
    `GET http://elsewhere.example/api/v1/balance HTTP/1.1\r\n${authorized()}\r\n`,
  )
  expect(answer).toMatchObject({ status: 200, json: { object: 'balance' } })
})

test('a long address is 414, long headers are 431, both as problems', async () => {
  const long = 'x'.repeat(9_000)
  const answers = [
    await rawRequest(api.port, `GET /api/v1/history?id=${long} HTTP/1.1\r\n${authorized()}\r\n`),
    await rawRequest(api.port, `GET /api/v1/history?id=${long}${long} HTTP/1.1\r\n${authorized()}\r\n`),
    await rawRequest(api.port, `GET /api/v1/history HTTP/1.1\r\n${authorized()}X: ${long}${long}\r\n\r\n`),
  ]
  expect(answers.map(({ status, json }) => [status, json.code])).toEqual([
    [414, 'uri_too_long'],
    [414, 'uri_too_long'],
    [431, 'headers_too_large'],
  ])
})

test('headers that grow too large in a later packet are not taken for a long address', async () => {
  const received = await new Promise<string>((resolve) => {
    let all = ''
    // The second request begins in the packet of the first, whose answer tells that it has arrived.
    const socket = connect(api.port, '127.0.0.1', () =>
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\nX: '),
    )
    socket.on('data', (data) => {
      if (all === '') socket.write('x'.repeat(18_000))
      all += data.toString()
    })
    socket.on('close', () => resolve(all))
  })
  expect(received.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 431'])
})

test('a send that no request was made of is told that nothing was sent, as far as its first line can be read', async () => {
  const long = 'x'.repeat(18_000)
  const detailsOf = async (line: string, headers = '') =>
    String((await rawRequest(api.port, `${line}\r\n${headers}\r\n`)).json.detail)
  const host = 'Host: x\r\nConnection: close\r\n'
  const refused = [
    ['POST /api/v1/send HTTP/1.1', `${host}X: ${long}\r\n`],
    ['POST /api/v1/send?a=b HTTP/1.1', `${host}X: ${long}\r\n`],
    [`POST /api/v1/send?${long} HTTP/1.1`, host],
    [`POST /api/v1/send?${long.slice(0, 9_000)} HTTP/1.1`, host],
    ['POST http://elsewhere.example/api/v1/send HTTP/1.1', `${host}X: ${long}\r\n`],
    ['\r\nPOST /api/v1/send HTTP/1.1', `${host}Bad Header: x\r\n`],
    ['POST /api/v1/send HTTP/1.1', `${host}Content-Length: 5\r\nContent-Length: 6\r\n`],
    ['POST /api/v1/send HTTP/1.1', 'Connection: close\r\n'],
  ] as const
  for (const [line, headers] of refused)
    expect(await detailsOf(line, headers), line.slice(0, 40)).toMatch(/ Nothing was sent\.$/)
  for (const line of ['GET /api/v1/send', 'POST /api/v1/sends', 'POST /api/v1/send/', 'POST /?/api/v1/send'])
    expect(await detailsOf(`${line} HTTP/1.1`, `${host}X: ${long}\r\n`), line).not.toContain('sent')
})

test('a compressed body is refused unread, however small it looks', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20))
  const answer = await rawRequest(api.port, rawSend(api.account.testKey, bomb, 'Content-Encoding: gzip\r\n'))
  expect(answer).toMatchObject({ status: 415, json: { code: 'unsupported_media_type' } })
})

test('a body that is declared too large is refused before its key is looked at', async () => {
  const answer = await rawRequest(
    api.port,
    'POST /api/v1/send HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{',
  )
  expect(answer).toMatchObject({
    status: 413,
    headers: { connection: 'close' },
    json: { code: 'payload_too_large' },
  })
})

test('an endless chunked body is cut off at the limit', async () => {
  const { sent, received } = await pourChunks(40_000)
  expect(received).toMatch(/^HTTP\/1\.1 413 /)
  expect(received).toContain('payload_too_large')
  expect(sent).toBeLessThan(40_000 * 1024)
})

test('64 KiB are taken and one byte more is not', async () => {
  const padded = (size: number) => body.slice(0, -1) + ' '.repeat(size - body.length) + '}'
  const fits = await rawRequest(api.port, rawSend(api.account.testKey, padded(65_536)))
  const tooLarge = await rawRequest(api.port, rawSend(api.account.testKey, padded(65_537)))
  expect([fits.status, tooLarge.status]).toEqual([202, 413])
})

test('a body with GET is malformed', async () => {
  for (const framing of [
    'Content-Length: 2\r\n\r\n{}',
    'Content-Length: 70000\r\n\r\n{}',
    'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  ]) {
    const answer = await rawRequest(api.port, `GET /api/v1/balance HTTP/1.1\r\n${authorized()}${framing}`)
    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'malformed_request', detail: 'A GET request must not have a body.' },
    })
  }
  const empty = await rawRequest(
    api.port,
    `GET /api/v1/balance HTTP/1.1\r\n${authorized()}Content-Length: 0\r\n\r\n`,
  )
  expect(empty.status).toBe(200)
})

test('pipelined requests are answered in order, each once', async () => {
  const send = rawSend(api.account.testKey, body).toString().replace('Connection: close\r\n', '')
  const [first, second, third, ...more] = await rawExchange(
    api.port,
    `${send}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /api/v1/balance HTTP/1.1\r\n${authorized()}\r\n`,
  )
  expect([first?.status, second?.json, third?.json.object, more.length]).toEqual([
    202,
    { status: 'ok' },
    'balance',
    0,
  ])
})

test('garbage behind a request whose answer is due is not answered in its place', async () => {
  const send = rawSend(api.account.testKey, body).toString().replace('Connection: close\r\n', '')
  const answers = await rawExchange(api.port, `${send}\r\n\r\n@@@@ garbage\r\n\r\n`)
  expect(answers.map(({ status }) => status)).toEqual([202, 400])
})

test('garbage on a connection whose request was answered is a bad request, and a reset there is nothing', async () => {
  const garbage = await new Promise<string>((resolve) => {
    let received = ''
    const socket = connect(api.port, '127.0.0.1', () =>
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
    )
    socket.on('data', (data) => {
      const first = received === ''
      received += data.toString()
      if (first) socket.write('GARBAGE\r\n\r\n')
    })
    socket.on('close', () => resolve(received))
  })
  expect(garbage).toContain('HTTP/1.1 400')
  await new Promise<void>((resolve) => {
    const socket = connect(api.port, '127.0.0.1', () =>
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
    )
    socket.on('data', () => socket.resetAndDestroy())
    socket.on('close', () => resolve())
  })
  expect((await api.request('GET', '/healthz')).status).toBe(200)
})

test('Expect: 100-continue and other expectations do not stand in the way', async () => {
  const [interim] = await rawExchange(
    api.port,
    rawSend(api.account.testKey, body, 'Expect: 100-continue\r\n'),
  )
  expect(interim?.status).toBe(100)
  const answer = await rawRequest(api.port, rawSend(api.account.testKey, body, 'Expect: something-else\r\n'))
  expect(answer.status).toBe(202)
})

test('a client that goes away in the middle of a body leaves no trace of an error', async () => {
  const errorsBefore = api.logLines.filter((line) => line.includes('"level":"error"')).length
  await new Promise<void>((resolve) => {
    const socket = connect(api.port, '127.0.0.1', () => {
      socket.write(
        `POST /api/v1/send HTTP/1.1\r\n${authorized()}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"to"`,
        () => socket.destroy(),
      )
    })
    socket.on('close', () => resolve())
  })
  expect((await api.request('GET', '/healthz')).status).toBe(200)
  expect(api.logLines.filter((line) => line.includes('"level":"error"'))).toHaveLength(errorsBefore)
})

/** Writes chunks of 1 KiB as long as the server takes them. */
function pourChunks(most: number): Promise<{ sent: number; received: string }> {
  return new Promise((resolve) => {
    const socket = connect(api.port, '127.0.0.1')
    const chunk = `400\r\n${'x'.repeat(1024)}\r\n`
    let sent = 0
    let received = ''
    socket.write(
      `POST /api/v1/send HTTP/1.1\r\n${authorized()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const pour = (): void => {
      while (!socket.destroyed && sent < most * 1024) {
        sent += 1024
        if (!socket.write(chunk)) {
          socket.once('drain', pour)
          return
        }
      }
    }
    socket.on('data', (data) => (received += data.toString('latin1')))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve({ sent, received }))
    pour()
  })
}

import { createServer, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createOutgoing } from '../../src/outgoing/create-outgoing.ts'
import { KeptConnections } from '../../src/outgoing/kept-connections.ts'
import { sendRequest, type SentRequest } from '../../src/outgoing/send-request.ts'

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** A server that says by which of its connections a request came. */
async function startServer(more: (request: number) => Record<string, string> = () => ({})) {
  const connections: Socket[] = []
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    response.writeHead(200, more(requests)).end(String(connections.indexOf(request.socket)))
  })
  server.on('connection', (socket) => connections.push(socket))
  return { url: await listen(server), connections }
}

function createSender(kept?: KeptConnections) {
  onTestFinished(() => kept?.close())
  return (url: string): Promise<SentRequest> =>
    sendRequest(
      {
        ...createOutgoing(['127.0.0.1'], 'ONESIXTY_PROVIDER_ALLOW'),
        allowedBy: 'ONESIXTY_PROVIDER_ALLOW',
        timeoutMs: 5_000,
        deadline: AbortSignal.timeout(5_000),
        mayWrite: () => true,
        maxAnswerBytes: 1_000,
        kept,
      },
      { method: 'POST', url: new URL(url), headers: {}, body: 'x' },
    )
}
const bodyOf = (sent: SentRequest): string => (sent.kind === 'answered' ? sent.body : sent.kind)
/** What a server does to a connection behind its answer is seen with the next turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('requests one after another use one connection, those at the same time one each, and none is shared without being kept', async () => {
  const { url } = await startServer()
  const send = createSender(new KeptConnections())
  // At once, as a window is filled: a connection that does not rest yet would be closed, and one more opened.
  for (let i = 0; i < 3; i += 1) expect(bodyOf(await send(url))).toBe('0')
  expect((await Promise.all([send(url), send(url)])).map(bodyOf).toSorted()).toEqual(['0', '1'])
  const alone = createSender()
  expect([bodyOf(await alone(url)), bodyOf(await alone(url))]).toEqual(['2', '3'])
})

test('a connection that the server closes after its answer is not used again', async () => {
  const { url } = await startServer(() => ({ connection: 'close' }))
  const send = createSender(new KeptConnections())
  expect(bodyOf(await send(url))).toBe('0')
  await turn()
  expect(bodyOf(await send(url))).toBe('1')
})

test('a connection that the server closes while a request leaves makes it unanswered, and it is not sent again', async () => {
  let requests = 0
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => {
      requests += 1
      if (requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na')
      else socket.destroy()
    })
  })
  const url = await listen(server)
  const send = createSender(new KeptConnections())
  expect(bodyOf(await send(url))).toBe('a')
  await turn()
  expect(await send(url)).toMatchObject({ kind: 'unanswered' })
  expect(requests).toBe(2)
})

test('once closed, no connection is kept', async () => {
  const { url } = await startServer()
  const kept = new KeptConnections()
  const send = createSender(kept)
  expect(bodyOf(await send(url))).toBe('0')
  await turn()
  kept.close()
  expect([bodyOf(await send(url)), bodyOf(await send(url))]).toEqual(['1', '2'])
})

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type FakePhones, type FakePhonesOptions, startFakePhones } from '../peers/fake-phone-control.ts'

/** What came to the server. */
export interface Received {
  method: string
  path: string
  headers: IncomingMessage['headers']
  /** Parsed; null without one. */
  body: unknown
  /** As it came. */
  text: string
}

export interface StubAnswer {
  status?: number
  json?: unknown
}

type Route = (request: Received) => StubAnswer

/** A server for phones that a test scripts: routes by `METHOD /path`, and event streams that it can write to and end. */
export interface StubPhoneServer {
  baseUrl: string
  received: Received[]
  /** Of a method and path, without its query. */
  at(method: string, path: string): Received[]
  route(name: string, route: Route): void
  /** Streams that are open now, oldest first. */
  streams: ServerResponse[]
  tell(event: string, data?: unknown): void
}

const prefix = '/mobile/v1'

/** Listens on the loopback until the test ends. At first it registers everybody as `device-1`, and has no messages. */
export async function openStubPhoneServer(): Promise<StubPhoneServer> {
  const received: Received[] = []
  const streams: ServerResponse[] = []
  const routes = new Map<string, Route>([
    ['POST /device', () => ({ status: 201, json: { id: 'device-1', token: 'token-1', login: 'ABCDEF' } })],
    ['PATCH /device', () => ({ status: 204 })],
    ['GET /message', () => ({ json: [] })],
    ['PATCH /message', () => ({ status: 204 })],
    ['GET /webhooks', () => ({ json: [] })],
    ['GET /settings', () => ({ json: {} })],
    ['GET /events', () => ({ status: 200 })],
  ])
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const path = (request.url as string).slice(prefix.length)
      const method = request.method as string
      const body: unknown = text === '' ? null : JSON.parse(text)
      const one: Received = { method, path, headers: request.headers, body, text }
      received.push(one)
      const route = routes.get(`${method} ${path.split('?')[0]}`)
      const { status = 200, json } = route?.(one) ?? { status: 404 }
      if (path === '/events' && status === 200) return openStream(streams, response)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(json === undefined ? '' : JSON.stringify(json))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => void server.close(() => resolve()))
  })
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    received,
    streams,
    at: (method, path) => received.filter((one) => one.method === method && one.path.split('?')[0] === path),
    route: (name, route) => void routes.set(name, route),
    tell(event, data = null) {
      for (const stream of streams) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function openStream(streams: ServerResponse[], response: ServerResponse): void {
  streams.push(response)
  response.once('close', () => void streams.splice(streams.indexOf(response), 1))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(':hello\n\n')
}

/** Phones that end with the test; a second of the machine is two hundred of theirs. */
export async function openPhones(
  server: StubPhoneServer,
  options: Partial<FakePhonesOptions> = {},
): Promise<FakePhones> {
  const phones = await startFakePhones({
    baseUrl: server.baseUrl,
    privateToken: 'private-1',
    timeScale: 200,
    ...options,
  })
  onTestFinished(phones.stop)
  return phones
}

/** An item of the queue. */
export const item = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id,
  textMessage: { text: `Text of ${id}` },
  phoneNumbers: ['+4915112345678'],
  state: 'Pending',
  ...more,
})

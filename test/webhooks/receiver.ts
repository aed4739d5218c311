import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export interface Received {
  atMs: number
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** An endpoint of somebody, over real HTTP on this machine. */
export interface Receiver {
  url: string
  received: Received[]
  /** What it does with a delivery; answers 200 when left out. */
  handle: (request: IncomingMessage, response: ServerResponse) => void
  close(): Promise<void>
}

export async function openReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      receiver.received.push({
        atMs: performance.now(),
        path: request.url ?? '',
        headers: request.headers,
        body,
      })
      receiver.handle(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    handle: (_, response) => void response.end('ok'),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

export interface EventBody {
  id: string
  type: string
  data: {
    sequence: number
    previous_status: string | null
    message?: { id: string; status: string; client_reference: string | null }
  }
}

/** The event of a delivery, as the library of the standard gives it; throws when the signature is wrong. */
export const verified = (secret: string, { body, headers }: Received): EventBody =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as EventBody

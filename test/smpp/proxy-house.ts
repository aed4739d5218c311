import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { FaultProxy } from '../peers/fault-proxy.ts'

/** One end of a connection: what it got, and how it ended. */
export interface End {
  socket: Socket
  chunks: Buffer[]
  text(): string
  /** `open`, `ended` by a FIN, `reset`, or another error. */
  fate(): string
}

export function watch(socket: Socket): End {
  const chunks: Buffer[] = []
  let fate = 'open'
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('end', () => (fate = 'ended'))
  socket.on(
    'error',
    (error: NodeJS.ErrnoException) => (fate = error.code === 'ECONNRESET' ? 'reset' : (error.code ?? '')),
  )
  onTestFinished(() => void socket.destroy())
  return { socket, chunks, text: () => Buffer.concat(chunks).toString('latin1'), fate: () => fate }
}

/** A proxy in front of a server that only listens. */
export async function openHouse(seed = 1) {
  const arrived: End[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => arrived.push(watch(socket)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = new FaultProxy({
    target: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    seed,
  })
  await proxy.listen()
  onTestFinished(async () => {
    await proxy.close()
    server.close()
  })
  return {
    proxy,
    server,
    /** A client, and the end of it that arrived at the server. */
    async connect(): Promise<{ client: End; target: End }> {
      const before = arrived.length
      const socket = connect({ port: proxy.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
      const client = watch(socket)
      await once(socket, 'connect')
      await eventually(
        () => arrived.length,
        (count) => expect(count).toBe(before + 1),
      )
      return { client, target: arrived[before] as End }
    },
  }
}

export const expectText = (end: End, text: string): Promise<string> =>
  eventually(
    () => end.text(),
    (seen) => expect(seen).toBe(text),
  )

export const expectFate = (end: End, fate: string): Promise<string> =>
  eventually(
    () => end.fate(),
    (seen) => expect(seen).toBe(fate),
  )

/** Long enough that what could come has come: through the same proxy, on another connection. */
export const breath = async (house: Awaited<ReturnType<typeof openHouse>>): Promise<void> => {
  const { client, target } = await house.connect()
  client.socket.write('there')
  await expectText(target, 'there')
  target.socket.write('back')
  await expectText(client, 'back')
}

/** What is seen once two looks in a row, a turn of another proxy between them, see the same. */
export async function steady<T>(look: () => T): Promise<T> {
  for (let before = look(); ; before = look()) {
    await breath(await openHouse())
    if (JSON.stringify(look()) === JSON.stringify(before)) return before
  }
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { AddressInfo, Server, Socket } from 'node:net'

/** The connections of this process to a server that is in it, too. */
export interface Wire {
  /** Settles when each end has read all that the other wrote, and has nothing more to say. */
  atRest(): Promise<void>
  /** Looks on no longer. */
  leave(): void
}

/** What is written at the end of a turn of the event loop is seen in the next one. */
const calmTurns = 3

export function watchWire(server: Server): Wire {
  const clients = new Set<Socket>()
  const ends = new Map<Socket, Socket>()
  const note = (message: unknown): void => void clients.add((message as { socket: Socket }).socket)
  subscribe('net.client.socket', note)
  server.on('connection', (accepted: Socket) => {
    for (const client of clients) if (client.localPort === accepted.remotePort) ends.set(client, accepted)
  })
  const isHeard = (client: Socket): boolean => {
    if (client.connecting) return false
    const accepted = ends.get(client)
    if (accepted === undefined) return client.closed || !isOf(client, server)
    if (client.closed || accepted.closed) return client.closed && accepted.closed
    return (
      [client, accepted].every((end) => !end.destroyed && !end.writableEnded) &&
      client.bytesWritten === accepted.bytesRead &&
      accepted.bytesWritten === client.bytesRead
    )
  }
  return {
    async atRest() {
      for (let calm = 0; calm < calmTurns; calm = [...clients].every(isHeard) ? calm + 1 : 0)
        await new Promise((resolve) => setImmediate(resolve))
    },
    leave: () => unsubscribe('net.client.socket', note),
  }
}

const isOf = (client: Socket, server: Server): boolean =>
  client.remotePort === (server.address() as AddressInfo | null)?.port

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { DirectConnection, type DirectConnectionDeps } from './direct-connection.ts'

export interface TakenConnections {
  /** Whether requests on this connection are read here. */
  has(socket: Socket): boolean
  /** Closes the connections, each after the request that is being handled. */
  end(): void
}

/**
 * Takes the connections of an HTTP server, so that whole requests for `operations` are read straight from their sockets. With the
 * first other request the server gets the connection.
 */
export function takeConnections(
  server: Server,
  isTls: boolean,
  deps: Omit<DirectConnectionDeps, 'passOn'>,
): TakenConnections {
  const event = isTls ? 'secureConnection' : 'connection'
  const listeners = server.listeners(event) as ((this: Server, socket: Socket) => void)[]
  const [serve] = listeners
  if (serve === undefined || listeners.length > 1) throw new Error(`an HTTP server listens to ${event} once`)
  const open = new Map<Socket, DirectConnection>()
  server.removeListener(event, serve)
  server.on(event, (socket: Socket) => {
    const passOn = (given: Socket): void => {
      open.delete(given)
      serve.call(server, given)
    }
    open.set(socket, new DirectConnection(socket, { ...deps, passOn }))
    socket.once('close', () => open.delete(socket))
  })
  return {
    has: (socket) => open.has(socket),
    end() {
      for (const connection of open.values()) connection.stop()
    },
  }
}

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
  deps: Omit<DirectConnectionDeps, 'passOn' | 'keepAliveBufferMs'>,
): TakenConnections {
  const event = isTls ? 'secureConnection' : 'connection'
  const listeners = server.listeners(event) as ((this: Server, socket: Socket) => void)[]
  const [serve] = listeners
  if (serve === undefined || listeners.length > 1) throw new Error(`an HTTP server listens to ${event} once`)
  const open = new Map<Socket, DirectConnection>()
  let isEnding = false
  const passOn = (socket: Socket): void => {
    open.delete(socket)
    serve.call(server, socket)
  }
  const own = { ...deps, passOn, keepAliveBufferMs: server.keepAliveTimeoutBuffer }
  server.removeListener(event, serve)
  server.on(event, (socket: Socket) => {
    // Node closes those that come while the server stops.
    if (isEnding) return passOn(socket)
    open.set(socket, new DirectConnection(socket, own))
    socket.once('close', () => open.delete(socket))
  })
  return {
    has: (socket) => open.has(socket),
    end() {
      isEnding = true
      for (const connection of open.values()) connection.stop()
    },
  }
}

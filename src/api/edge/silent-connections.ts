import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Returns the function that closes connections without any request yet. Browsers open some in advance. Node
 * counts them as busy, so a stopping server would wait for them as long as the client likes. `isElsewhere` tells of a
 * connection that something else reads, and closes.
 */
export function watchSilentConnections(
  server: Server,
  isTls: boolean,
  isElsewhere: (socket: Socket) => boolean,
): () => void {
  const silent = new Set<Socket>()
  const take = (socket: Socket): void => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  }
  // With TLS, the plain socket below it has no requests of its own.
  server.on(isTls ? 'secureConnection' : 'connection', take)
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket))
  return () => {
    for (const socket of silent)
      if (!isElsewhere(socket) && (isTls || socket.bytesRead === 0)) socket.destroy()
  }
}

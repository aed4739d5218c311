import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Gives the function that ends connections on which nothing was asked yet. Browsers open some ahead; Node takes them for busy, so a server that
 * stops would wait for them as long as a client likes.
 */
export function watchSilentConnections(server: Server, isTls: boolean): () => void {
  const silent = new Set<Socket>()
  const take = (socket: Socket): void => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  }
  // Of a connection under TLS the plain one beneath it asks nothing.
  server.on(isTls ? 'secureConnection' : 'connection', take)
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket))
  return () => {
    for (const socket of silent) if (isTls || socket.bytesRead === 0) socket.destroy()
  }
}

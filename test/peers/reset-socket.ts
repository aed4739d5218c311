import type { Socket } from 'node:net'

/**
 * Resets a connection (RST); one whose FIN waits to be sent is closed plainly. libuv refuses to reset that (EINVAL), and Node
 * would then leave its socket open for ever.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy()
  else socket.resetAndDestroy()
}

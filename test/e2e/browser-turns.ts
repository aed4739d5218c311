import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A port of loopback that grants a turn to each connection, for as long as it is open. */
    browserTurns: number
  }
}

/** A third Chromium on two cores hangs now and then for two minutes. What waits for its turn leaves the cores to tests without a browser. */
const maxBrowsers = 2

/** Vitest calls it before the tests in a browser; what it gives is called behind them. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const waiting = new Set<Socket>()
  const granted = new Set<Socket>()
  const grant = (): void => {
    for (const socket of waiting) {
      if (granted.size >= maxBrowsers) return
      waiting.delete(socket)
      granted.add(socket)
      socket.write('go')
    }
  }
  const server = createServer((socket) => {
    waiting.add(socket)
    // A worker that is killed gives its turn back, too.
    socket
      .on('error', () => undefined)
      .on('close', () => {
        waiting.delete(socket)
        granted.delete(socket)
        grant()
      })
    socket.resume()
    grant()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  provide('browserTurns', (server.address() as AddressInfo).port)
  return () => void server.close()
}

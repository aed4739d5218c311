import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A socket that grants a turn to each connection, for as long as it is open. */
    browserTurns: string
  }
}

/** A third Chromium on two cores hangs now and then for two minutes. What waits for its turn leaves the cores to tests without a browser. */
const mostBrowsers = 2

/** Vitest calls it before the tests in a browser; what it gives is called behind them. */
export async function setup({ provide, vitest }: TestProject): Promise<() => void> {
  const waiting = new Set<Socket>()
  const granted = new Set<Socket>()
  const grant = (): void => {
    for (const socket of waiting) {
      if (granted.size >= mostBrowsers) return
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
  const path = join(vitest.config.root, 'node_modules', '.cache', 'onesixty', `turns-${process.pid}`)
  server.listen(path)
  await once(server, 'listening')
  provide('browserTurns', path)
  return () => void server.close()
}

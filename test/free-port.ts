import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports from which Linux takes those of clients (`net.ipv4.ip_local_port_range`): a connection of another test would take it before it is used. */
const ports = { first: 15_000, end: 32_000 }

const given = new Set<number>()

/** Returns a port of this host on which no process listens, another one at each call in a process. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.first, ports.end)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const listening = once(probe, 'listening').then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
      throw error
    },
  )
  probe.listen(port, '127.0.0.1')
  const isIt = await listening
  if (isIt) await new Promise((resolve) => probe.close(resolve))
  return isIt
}

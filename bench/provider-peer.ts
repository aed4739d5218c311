import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A messaging service in a process of its own that accepts every message after a while. */
export interface BenchProvider {
  port: number
  stop(): void
}

/** Starts one that answers after this long, as services do. */
export async function startBenchProvider(answerAfterMs: number): Promise<BenchProvider> {
  const child = fork(import.meta.filename, [String(answerAfterMs)], { execArgv: [] })
  const [port] = (await once(child, 'message')) as [number]
  return { port, stop: () => void child.kill() }
}

if (import.meta.main) {
  const answerAfterMs = Number(process.argv[2])
  let lastId = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const body = JSON.stringify({ id: `m${(lastId += 1)}` })
      setTimeout(
        () => response.writeHead(200, { 'content-type': 'application/json' }).end(body),
        answerAfterMs,
      )
    })
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit(0))
}

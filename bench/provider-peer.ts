import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CountingProcess, startCounting } from './counting-process.ts'

/** What a messaging service has seen so far. */
export interface ProviderCounts {
  requests: number
  /** At the same time, at most. */
  inFlight: number
  /** Opened so far: one that rests for 4 s is closed, and a later burst opens another. */
  connections: number
  /** Open at the same time, at most. */
  openConnections: number
}

/** Starts a messaging service in a process of its own that accepts every message, and answers after this long, as services do. */
export const startBenchProvider = (answerAfterMs: number): Promise<CountingProcess<ProviderCounts>> =>
  startCounting(import.meta.filename, [String(answerAfterMs)])

if (import.meta.main) {
  const answerAfterMs = Number(process.argv[2])
  const counts: ProviderCounts = { requests: 0, inFlight: 0, connections: 0, openConnections: 0 }
  let inFlight = 0
  let open = 0
  const server = createServer((request, response) => {
    counts.inFlight = Math.max(counts.inFlight, (inFlight += 1))
    request.resume()
    request.on('end', () => {
      const body = JSON.stringify({ id: `m${(counts.requests += 1)}` })
      setTimeout(() => {
        inFlight -= 1
        response.writeHead(200, { 'content-type': 'application/json' }).end(body)
      }, answerAfterMs)
    })
  })
  server.on('connection', (socket) => {
    counts.connections += 1
    counts.openConnections = Math.max(counts.openConnections, (open += 1))
    socket.on('close', () => (open -= 1))
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('message', () => process.send?.(counts))
  process.on('disconnect', () => process.exit(0))
}

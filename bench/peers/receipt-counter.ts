import { type AddressInfo, createServer } from 'node:net'
import { type CountingProcess, startCounting } from '../counting-process.ts'

interface Receipts {
  count: number
  /** When the last one came, in milliseconds since 1970. */
  lastMs: number
}

/** Answers 200 to every request, in a process of its own, and counts them: where Kannel calls for each receipt. */
export const startReceiptCounter = (): Promise<CountingProcess<Receipts>> =>
  startCounting(import.meta.filename)

const headEnd = '\r\n\r\n'
const answer = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n'

if (import.meta.main) {
  const receipts: Receipts = { count: 0, lastMs: 0 }
  // Without an HTTP server, whose processor time would be missing on the same cores. A GET ends with its head.
  const server = createServer({ noDelay: true }, (socket) => {
    let rest = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      const heads = (rest + chunk.toString('latin1')).split(headEnd)
      rest = heads.pop() ?? ''
      if (heads.length === 0) return
      receipts.count += heads.length
      receipts.lastMs = Date.now()
      socket.write(answer.repeat(heads.length))
    })
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('message', () => process.send?.(receipts))
  process.on('disconnect', () => process.exit(0))
}

import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { type CountingProcess, startCounting } from './counting-process.ts'

/** Starts a proxy in a process of its own that passes everything on, each way so many milliseconds later; fractions count. */
export const startDelayProxy = (port: number, delayMs: number): Promise<CountingProcess<unknown>> =>
  startCounting(import.meta.filename, [String(port), String(delayMs)])

interface Late {
  dueMs: number
  pass(): void
}

/** Timers of Node.js count whole milliseconds: the rest of a wait is slept through, in naps after which new arrivals are looked for. */
const [timerMs, napMs] = [1.5, 0.05]

if (import.meta.main) {
  const [port, delayMs] = process.argv.slice(2).map(Number) as [number, number]
  const late: Late[] = []
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  let isPumping = false
  const pump = (): void => {
    for (let next = late[0]; next !== undefined; next = late[0]) {
      const leftMs = next.dueMs - performance.now()
      if (leftMs > timerMs) return void setTimeout(pump, leftMs - timerMs)
      if (leftMs > 0) {
        Atomics.wait(sleeper, 0, 0, Math.min(leftMs, napMs))
        return void setImmediate(pump)
      }
      late.shift()?.pass()
    }
    isPumping = false
  }
  const delayed = (from: Socket, to: Socket): void => {
    const later = (pass: () => void): void => {
      late.push({ dueMs: performance.now() + delayMs, pass })
      if (isPumping) return
      isPumping = true
      setImmediate(pump)
    }
    from.setNoDelay(true)
    from.on('data', (chunk) => later(() => to.write(chunk)))
    from.on('end', () => later(() => to.end()))
    // The other side is told by its own end.
    from.on('error', () => to.destroy())
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    delayed(client, target)
    delayed(target, client)
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('message', () => process.send?.(null))
  process.on('disconnect', () => process.exit(0))
}

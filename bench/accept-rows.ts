import { type BenchRun, hundred, type LoadTarget, one } from './bench-run.ts'
import { type Figure, latencyOf, perSecondOf } from './figure.ts'
import { type BenchAccount, type ServerProcess, withServer } from './server-process.ts'

interface Accepting {
  server: ServerProcess
  account: BenchAccount
}

/** A server whose only device of the account is cut off: everything is accepted, stored and waits. */
export const withAccepting = <T>(run: BenchRun, use: (accepting: Accepting) => Promise<T>): Promise<T> =>
  withServer({ settings: ['offline=true'], nodeOptions: run.nodeOptions }, use)

const target = ({ server, account }: Accepting): LoadTarget => ({
  server,
  token: account.liveKey,
  shape: one,
})

/** Row 2: durable, metered accept of one message a request. */
export const measureAccept = (run: BenchRun): Promise<Figure[]> =>
  withAccepting(run, async (accepting) => {
    const figures: Figure[] = []
    let fastest = 0
    for (const connections of [64, 1, 256]) {
      const name = `accept, one recipient, ${connections} ${connections === 1 ? 'connection' : 'connections'}`
      const result = await run.load(name, { ...target(accepting), connections })
      if (connections === 64) fastest = result.perSecond
      figures.push({
        row: 2,
        name,
        value: `${perSecondOf(result.perSecond)}, ${latencyOf(result.latency)}`,
        perSecond: result.perSecond,
        ...(connections === 64 ? { bar: { kind: 'of-n', least: 0.5 } } : {}),
        facts: result.facts,
      })
    }
    return [...figures, await measureKeyed(run, accepting), await measureHalf(run, accepting, fastest / 2)]
  })

async function measureKeyed(run: BenchRun, accepting: Accepting): Promise<Figure> {
  const name = 'the same with an Idempotency-Key, 64 connections'
  const result = await run.load(name, { ...target(accepting), shape: { ...one, idempotent: true } })
  return {
    row: 2,
    name,
    value: `${perSecondOf(result.perSecond)}, ${latencyOf(result.latency)}`,
    perSecond: result.perSecond,
  }
}

async function measureHalf(run: BenchRun, accepting: Accepting, perSecond: number): Promise<Figure> {
  const name = 'accept at half of that rate'
  const result = await run.load(name, { ...target(accepting), perSecond })
  return {
    row: 2,
    name,
    value: `${latencyOf(result.latency)} at ${perSecondOf(result.perSecond)}`,
    bar: { kind: 'most', most: 25, is: result.latency.p99, unit: 'ms' },
    facts: result.facts,
  }
}

/** Row 3: the same, a hundred recipients a request. */
export const measureAcceptMany = (run: BenchRun): Promise<Figure[]> =>
  withAccepting(run, async (accepting) => {
    const name = 'accept, 100 recipients a request, 64 connections'
    const result = await run.load(name, { ...target(accepting), shape: hundred })
    const messages = result.perSecond * 100
    return [
      {
        row: 3,
        name,
        value: `${perSecondOf(messages)} messages, ${latencyOf(result.latency)}`,
        perSecond: messages,
        bar: { kind: 'of-n', least: 1 },
        facts: result.facts,
      },
    ]
  })

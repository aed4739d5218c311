import type { BenchRun, LoadTarget, MeasuredLoad } from './bench-run.ts'
import { type Figure, latencyOf, perSecondOf } from './figure.ts'
import { hundred, one } from './load-job.ts'
import { type BenchAccount, type ServerProcess, withServer } from './server-process.ts'

interface Accepting {
  server: ServerProcess
  account: BenchAccount
}

/** A server whose only device of the account is cut off: everything is accepted, stored and waits. */
export const withAccepting = <T>(use: (accepting: Accepting) => Promise<T>): Promise<T> =>
  withServer({ settings: ['offline=true'] }, use)

const target = ({ server, account }: Accepting): LoadTarget => ({
  server,
  token: account.liveKey,
  shape: one,
})

/** Row 2: durable, metered accept of one message a request. */
export const measureAccept = (run: BenchRun): Promise<Figure[]> =>
  withAccepting(async (accepting) => {
    const measure =
      (name: string, more: Partial<LoadTarget> = {}) =>
      (): Promise<MeasuredLoad> =>
        run.load(name, { ...target(accepting), ...more })
    const single = 'accept, one recipient, 64 connections'
    const rounds = await middleRound(run, measure(single))
    const figures: Figure[] = [
      { ...figureOf(2, single, rounds), profile: 'accept' },
      await measureHalf(run, accepting, rounds.perSecond / 2),
    ]
    for (const connections of [1, 256]) {
      const name = `accept, one recipient, ${connections} ${connections === 1 ? 'connection' : 'connections'}`
      figures.push(figureOf(2, name, await measure(name, { connections })()))
    }
    const keyed = 'accept, one recipient, with an Idempotency-Key, 64 connections'
    return [...figures, figureOf(2, keyed, await measure(keyed, { shape: { ...one, idempotent: true } })())]
  })

/** The round whose rate is in the middle: one hiccup of the machine decides nothing. */
async function middleRound(run: BenchRun, measure: () => Promise<MeasuredLoad>): Promise<MeasuredLoad> {
  const rounds: MeasuredLoad[] = []
  for (let round = 0; round < run.lengths.rounds; round++) rounds.push(await measure())
  return rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)] as MeasuredLoad
}

const figureOf = (row: number, name: string, { perSecond, latency, facts, us }: MeasuredLoad): Figure => ({
  row,
  name,
  value: `${perSecondOf(perSecond)}, ${latencyOf(latency)}`,
  perSecond,
  us,
  facts,
})

async function measureHalf(run: BenchRun, accepting: Accepting, perSecond: number): Promise<Figure> {
  const name = 'accept at half of that rate, p99'
  const { latency, facts } = await run.load(name, { ...target(accepting), perSecond })
  const value = `${latencyOf(latency)} at ${perSecondOf(perSecond)}`
  return { row: 2, name, value, bar: { kind: 'most', most: 25, is: latency.p99, unit: 'ms' }, facts }
}

/** Row 3: the same, a hundred recipients a request. */
export const measureAcceptMany = (run: BenchRun): Promise<Figure[]> =>
  withAccepting(async (accepting) => {
    const name = 'accept, 100 recipients a request, 64 connections'
    const messages = async (): Promise<MeasuredLoad> => {
      const result = await run.load(name, { ...target(accepting), shape: hundred })
      return { ...result, perSecond: result.perSecond * 100 }
    }
    const { perSecond, latency, facts, us } = await middleRound(run, messages)
    const value = `${perSecondOf(perSecond)} messages, ${latencyOf(latency)}`
    return [{ row: 3, name, value, perSecond, us, facts, profile: 'accept-many' }]
  })

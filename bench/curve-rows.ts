import { statSync } from 'node:fs'
import { withAccepting } from './accept-rows.ts'
import type { BenchRun } from './bench-run.ts'
import { type Figure, latencyOf, perSecondOf } from './figure.ts'
import { type LargeDatabase, openLargeDatabase } from './large-database.ts'
import { one } from './load-job.ts'
import { readThrough } from './page-cache.ts'
import { readPaths } from './read-paths.ts'
import { databaseOf, startServer } from './server-process.ts'

/** Of what is accepted when each connection asks again as soon as it is answered. */
const shares = [0.1, 0.25, 0.5, 0.7, 0.85, 0.95] as const
const warmUpMs = 1_000
const measureMs = 4_000

/** Row 16: how long an accept takes against how many are asked for a second. */
export const measureLoadCurve = (run: BenchRun): Promise<Figure[]> =>
  withAccepting(async ({ server, account }) => {
    const target = { server, token: account.liveKey, shape: one, warmUpMs, measureMs }
    const asFastAsAnswered = 'accept as fast as it is answered'
    const { perSecond: most, us, latency: atMost } = await run.load(asFastAsAnswered, target)
    const points: { perSecond: number; p50: number; p99: number }[] = []
    for (const share of shares) {
      const asked = Math.round(most * share)
      const { latency, perSecond } = await run.load(`accept at ${perSecondOf(asked)}`, {
        ...target,
        perSecond: asked,
      })
      points.push({ perSecond: Math.round(perSecond), p50: latency.p50, p99: latency.p99 })
    }
    const line = (percentile: 'p50' | 'p99') => ({
      name: `${percentile} of an accept, ms`,
      points: points.map((point) => [point.perSecond, point[percentile]] as const),
    })
    const chart = {
      name: 'accept-load',
      summary: 'How long an accept takes against accepts a second',
      xUnit: '/s',
      series: [line('p50'), line('p99')],
    }
    const whole: Figure = {
      row: 16,
      name: asFastAsAnswered,
      value: `${perSecondOf(most)}, ${latencyOf(atMost)}`,
      us,
      chart,
    }
    const partly = points.map((point, i) => ({
      row: 16,
      name: `accept at ${Math.round((shares[i] ?? 0) * 100)} % of that`,
      value: `${latencyOf(point)} at ${perSecondOf(point.perSecond)}`,
    }))
    return [whole, ...partly]
  })

/** Row 17: what reads and room cost against how many messages are stored. */
export async function measureStoredCurve(run: BenchRun): Promise<Figure[]> {
  const sizes = [0.01, 0.1, 1].map((share) => run.lengths.largeDatabase * share)
  const figures: Figure[] = []
  const costs: { messages: number; page: number; number: number }[] = []
  for (const size of sizes) {
    const database = await openLargeDatabase(size, run.say)
    const { page, number } = await readMedians(run, database)
    const bytes = Math.round(statSync(databaseOf(database.folder)).size / size)
    costs.push({ messages: size, page, number })
    figures.push({
      row: 17,
      name: `cost with ${size.toLocaleString('en')} messages stored`,
      value: `newest page p50 ${page.toFixed(2)} ms, of one number p50 ${number.toFixed(2)} ms, ${bytes.toLocaleString('en')} B a message`,
    })
  }
  const line = (name: string, of: 'page' | 'number') => ({
    name,
    points: costs.map((cost) => [cost.messages, cost[of]] as const),
  })
  const chart = {
    name: 'read-stored',
    summary: 'How long a page of history takes against messages stored',
    xUnit: 'stored',
    isLogarithmic: true,
    series: [line('newest page, p50, ms', 'page'), line('of one number, p50, ms', 'number')],
  }
  return figures.map((figure, i) => (i === 0 ? { ...figure, chart } : figure))
}

async function readMedians(
  run: BenchRun,
  database: LargeDatabase,
): Promise<{ page: number; number: number }> {
  await readThrough(database.folder)
  const server = await startServer(database.folder)
  try {
    const median = async (name: string, paths: readonly string[]): Promise<number> => {
      const shape = { kind: 'get', paths } as const
      const { latency } = await run.load(name, { server, token: database.liveKey, shape, expectedStatus: 200, connections: 4, perSecond: 500, warmUpMs, measureMs }) // prettier-ignore
      return latency.p50
    }
    return {
      page: await median('history, newest page', readPaths.newest()),
      number: await median('history, of one number', readPaths.ofOneNumber(database)),
    }
  } finally {
    await server.stop()
  }
}

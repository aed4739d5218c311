import { Client } from 'pg'
import { until } from '../test/eventually.ts'
import { startFaultProxy } from '../test/peers/fault-proxy.ts'
import { newDatabasesOf, startBenchPostgres } from './bench-postgres.ts'
import type { BenchRun } from './bench-run.ts'
import { type Figure, median, perSecondOf } from './figure.ts'
import { withNodeHouse } from './node-house.ts'
import { acceptRate, claimRate } from './node-rows.ts'
import { queryServer } from './server-process.ts'

const row = 24
/** In one hall, in two of one region, and between regions that lie close. */
const roundTripsMs = [0, 0.5, 1, 2] as const
/** More than the disk takes: as a network disk, and a slow one. */
const flushesMs = [2, 5] as const
const accounts = 200
const connections = 64
const rounds = 200

interface Point {
  /** In milliseconds: the round trip, as measured, or how much longer a flush takes. */
  atMs: number
  accepted: number
  worked: number
}

/** Row 24: what one node does on a PostgreSQL that is farther away, or whose flush takes longer. */
export async function measureDistance(run: BenchRun): Promise<Figure[]> {
  // A flush that is asked for waits for so long first, whoever else writes.
  const postgres = await startBenchPostgres(['commit_siblings=0'])
  const newDatabase = newDatabasesOf(postgres, 'distance')
  const measure = async (port: number, name: string): Promise<Omit<Point, 'atMs'>> => {
    const databaseUrl = throughPort(await newDatabase(), port)
    return withNodeHouse({ databaseUrl, nodes: 1, accounts }, async (house) => {
      run.say(name)
      const measuring = { nodes: 1, spread: `${accounts} accounts` } as const
      const { perSecond } = await acceptRate(run, house, { ...measuring, connectionsOfEach: connections })
      const worked = await claimRate(run, house, measuring)
      return { accepted: perSecond, worked: worked.perSecond }
    })
  }
  const ownPort = Number(new URL(postgres.url).port)
  try {
    const near: Point[] = []
    for (const wantedMs of roundTripsMs) {
      // The nearest one, too, is behind a proxy: it costs both processors something.
      const { port, set, stop } = await startFaultProxy({ target: { host: '127.0.0.1', port: ownPort } })
      try {
        await set('both', { delayMs: wantedMs / 2, isExact: true })
        const atMs = await roundTripOf(throughPort(postgres.url, port))
        near.push({ atMs, ...(await measure(port, `a round trip of ${atMs.toFixed(2)} ms`)) })
      } finally {
        await stop()
      }
    }
    const flushed: Point[] = [{ atMs: 0, ...(await measure(ownPort, 'a flush of the disk')) }]
    for (const atMs of flushesMs) {
      await delayFlushes(postgres.url, atMs)
      flushed.push({ atMs, ...(await measure(ownPort, `a flush that takes ${atMs} ms longer`)) })
    }
    const [toServer, toDisk] = [
      { name: 'postgres-round-trip', summary: 'What one node does against the round trip to PostgreSQL' },
      {
        name: 'postgres-flush',
        summary: 'What one node does against how much longer a flush of PostgreSQL takes',
      },
    ] as const
    return [
      ...figuresOf(near, toServer, (ms) => `with a round trip of ${ms.toFixed(2)} ms`),
      ...figuresOf(flushed, toDisk, (ms) => `with flushes that take ${ms} ms longer`),
    ]
  } finally {
    await postgres.stop()
  }
}

function throughPort(url: string, port: number): string {
  const through = new URL(url)
  through.port = String(port)
  return through.href
}

/** Flushes are asked for so much later from now on: a connection reads the setting when it is opened. */
async function delayFlushes(url: string, ms: number): Promise<void> {
  await queryServer(url, `alter system set commit_delay = ${ms * 1_000}`)
  await queryServer(url, 'select pg_reload_conf()')
  const shown = async () =>
    (await queryServer(url, "select setting from pg_settings where name = 'commit_delay'"))[0]
  await until(shown, (found) => Number(found?.['setting']) === ms * 1_000)
}

/** The median of what a statement takes that reads no table. */
async function roundTripOf(url: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const times: number[] = []
    for (let i = 0; i < rounds; i++) {
      const fromMs = performance.now()
      await client.query('select 1')
      times.push(performance.now() - fromMs)
    }
    return median(times)
  } finally {
    await client.end()
  }
}

/** A line of the table for each point, with one chart of all. */
function figuresOf(
  points: readonly Point[],
  chart: { name: string; summary: string },
  of: (ms: number) => string,
): Figure[] {
  const line = (name: string, rate: 'accepted' | 'worked') => ({
    name,
    points: points.map((point) => [Math.round(point.atMs * 1_000), point[rate]] as const),
  })
  const series = [line('accepted/s', 'accepted'), line('queue to delivered/s', 'worked')]
  return points.map(({ atMs, accepted, worked }, i) => ({
    row,
    name: `accept, and from the queue to delivered, on PostgreSQL ${of(atMs)}`,
    value: `${perSecondOf(accepted)}, ${perSecondOf(worked)}`,
    ...(i === 0 && { chart: { ...chart, xUnit: 'µs', series } }),
  }))
}

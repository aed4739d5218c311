import { Client } from 'pg'
import { withDatabase } from '../test/postgres-server.ts'
import { startBenchPostgres } from './bench-postgres.ts'
import type { BenchRun } from './bench-run.ts'
import { startDelayProxy } from './delay-proxy.ts'
import { type Figure, median, perSecondOf } from './figure.ts'
import { withNodeHouse } from './node-house.ts'
import { acceptRate, claimRate } from './node-rows.ts'
import { queryServer } from './server-process.ts'

const row = 24
/** In one hall, in two of one region, and between regions that lie close. */
const roundTripsMs = [0, 0.5, 1, 2] as const
/** Beyond what the disk takes: of a network disk, and of a slow one. */
const flushesMs = [2, 5] as const
const accounts = 200
const connections = 64
const rounds = 200

interface Point {
  /** Measured, in milliseconds: of the round trip, or what the flush takes more. */
  atMs: number
  accepted: number
  worked: number
}

/** Row 24: what one node does on a PostgreSQL that is farther away, or whose flush takes longer. */
export async function measureDistance(run: BenchRun): Promise<Figure[]> {
  // A flush that is asked for waits for so long first, whoever else writes.
  const postgres = await startBenchPostgres(['commit_siblings=0'])
  let made = 0
  const measure = async (port: number, name: string): Promise<Omit<Point, 'atMs'>> => {
    const database = `distance_${++made}`
    await queryServer(postgres.url, `create database ${database}`)
    const databaseUrl = throughPort(withDatabase(postgres.url, database), port)
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
      const proxy = wantedMs === 0 ? null : await startDelayProxy(ownPort, wantedMs / 2)
      const port = proxy?.port ?? ownPort
      const atMs = await roundTripOf(throughPort(postgres.url, port))
      near.push({ atMs, ...(await measure(port, `a round trip of ${atMs.toFixed(2)} ms`)) })
      proxy?.stop()
    }
    const flushed: Point[] = [{ ...(near[0] as Point), atMs: 0 }]
    for (const atMs of flushesMs) {
      await queryServer(postgres.url, `alter system set commit_delay = ${atMs * 1_000}`)
      await queryServer(postgres.url, 'select pg_reload_conf()')
      flushed.push({ atMs, ...(await measure(ownPort, `a flush that takes ${atMs} ms longer`)) })
    }
    return [
      ...figuresOf(near, { name: 'postgres-round-trip', of: (ms) => `at a round trip of ${ms.toFixed(2)} ms`, summary: 'What one node does against the round trip to PostgreSQL' }),
      ...figuresOf(flushed, { name: 'postgres-flush', of: (ms) => `where a flush takes ${ms} ms longer`, summary: 'What one node does against how much longer a flush of PostgreSQL takes' }).slice(1),
    ] // prettier-ignore
  } finally {
    await postgres.stop()
  }
}

function throughPort(url: string, port: number): string {
  const through = new URL(url)
  through.port = String(port)
  return through.href
}

/** The median of what a statement takes that finds nothing. */
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

/** A line of the table for each point; the first has the chart. */
function figuresOf(
  points: readonly Point[],
  { name, of, summary }: { name: string; of(ms: number): string; summary: string },
): Figure[] {
  const line = (what: string, rate: 'accepted' | 'worked') => ({
    name: what,
    points: points.map((point) => [Math.round(point.atMs * 1_000), point[rate]] as const),
  })
  const series = [line('accepted/s', 'accepted'), line('queue to delivered/s', 'worked')]
  const chart = { name, summary, xUnit: 'µs', series }
  return points.map(({ atMs, accepted, worked }, i) => ({
    row,
    name: `accept, and from the queue to delivered, on PostgreSQL ${of(atMs)}`,
    value: `${perSecondOf(accepted)}, ${perSecondOf(worked)}`,
    ...(i === Math.min(1, points.length - 1) && { chart }),
  }))
}

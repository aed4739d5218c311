import { type NewDatabase, newDatabasesOf, startBenchPostgres } from './bench-postgres.ts'
import type { BenchRun } from './bench-run.ts'
import { type Figure, latencyOf, perSecondOf } from './figure.ts'
import { measureLives } from './life-rows.ts'
import { hundred, one } from './load-job.ts'
import { withNodeHouse } from './node-house.ts'
import { measureNodes } from './node-rows.ts'
import { queryServer, type ServerProcess } from './server-process.ts'

/** Row 13: the same program on PostgreSQL, which runs on the same two cores. */
export async function measurePostgres(run: BenchRun): Promise<Figure[]> {
  const postgres = await startBenchPostgres()
  const newDatabase = newDatabasesOf(postgres, 'bench')
  try {
    return [
      ...(await measureNodes(run, newDatabase)),
      await measureAcceptMany(run, await newDatabase()),
      ...(await measureLivesOn(run, newDatabase)),
      await countDeadlocks(postgres.url),
    ]
  } finally {
    await postgres.stop()
  }
}

async function measureAcceptMany(run: BenchRun, databaseUrl: string): Promise<Figure> {
  const name = 'accept on PostgreSQL, 100 recipients a request, 64 connections'
  return withNodeHouse({ databaseUrl, nodes: 1, accounts: 1 }, async ({ servers, keys }) => {
    const target = { server: servers[0] as ServerProcess, token: keys[0] as string, shape: hundred }
    const { perSecond: requests, latency, facts, us } = await run.load(name, target)
    const perSecond = requests * hundred.recipients
    return {
      row: 13,
      name,
      value: `${perSecondOf(perSecond)} messages, ${latencyOf(latency)}`,
      perSecond,
      us,
      facts,
    }
  })
}

async function measureLivesOn(run: BenchRun, newDatabase: NewDatabase): Promise<Figure[]> {
  const { lives } = run.lengths
  const common = { row: 13, settings: ['delay_ms=0'] }
  const [ofOne, ofHundred] = [await newDatabase(), await newDatabase()]
  return [
    ...(await measureLives(run, {
      ...common, databaseUrl: ofOne, name: 'whole life on PostgreSQL, one recipient', shape: one, requests: Math.ceil(lives.one / 3), profile: 'life-postgres',
    })),
    ...(await measureLives(run, {
      ...common, databaseUrl: ofHundred, name: 'whole life on PostgreSQL, 100 recipients a request', shape: hundred, requests: Math.ceil(lives.hundred / 3), profile: 'life-many-postgres',
    })),
  ]
} // prettier-ignore

/** By the server's own count, over everything measured here. One would have been run again; that every call was answered is looked at beside. */
async function countDeadlocks(url: string): Promise<Figure> {
  const [row] = await queryServer(
    url,
    "select sum(deadlocks) as deadlocks, sum(xact_commit) as commits from pg_stat_database where datname like 'bench%'",
  )
  const deadlocks = Number(row?.['deadlocks'])
  return {
    row: 13,
    name: 'deadlocks on PostgreSQL in all of this',
    value: `${deadlocks} in ${Number(row?.['commits']).toLocaleString('en')} transactions; every request was answered`,
    bar: { kind: 'most', most: 0, is: deadlocks, unit: '' },
  }
}

import { Client } from 'pg'
import { startPostgres, withDatabase } from '../test/postgres-server.ts'
import type { BenchRun, MeasuredLoad } from './bench-run.ts'
import { type Figure, latencyOf, perSecondOf } from './figure.ts'
import { measureLives } from './life-rows.ts'
import { hundred, one, type RequestShape } from './load-job.ts'
import {
  type BenchAccount,
  makeAccount,
  makeFolder,
  type ServerProcess,
  startServer,
} from './server-process.ts'

/** What docs/scaling.md recommends for a machine of this size. */
export const serverFlags = [
  '-c',
  'shared_buffers=1GB',
  '-c',
  'max_wal_size=8GB',
  '-c',
  'checkpoint_timeout=15min',
]

/** Row 13: the same program on PostgreSQL, which runs on the same two cores. */
export async function measurePostgres(run: BenchRun): Promise<Figure[]> {
  const postgres = await startPostgres(serverFlags)
  let made = 0
  const newDatabase = async (): Promise<string> => {
    const name = `bench_${++made}`
    const admin = new Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query(`create database ${name}`)
    await admin.end()
    return withDatabase(postgres.url, name)
  }
  try {
    return [...(await measureAccepts(run, newDatabase)), ...(await measureLivesOn(run, newDatabase))]
  } finally {
    await postgres.stop()
  }
}

const single = 'accept on PostgreSQL, one recipient, 64 connections'

async function measureAccepts(run: BenchRun, newDatabase: () => Promise<string>): Promise<Figure[]> {
  const figures: Figure[] = []
  let ofOneNode = 0
  for (const nodes of [1, 2, 4]) {
    const name = nodes === 1 ? single : `${single}, ${nodes} nodes, one account`
    const rate = await onNodes(await newDatabase(), nodes, (served) => run.againstN(() => accept(run, name, served, one)))
    if (nodes === 1) ofOneNode = rate.perSecond
    figures.push({ ...figureOf(name, rate), ...barOf(nodes, rate.perSecond / ofOneNode) })
  }
  const name = 'accept on PostgreSQL, 100 recipients a request, 64 connections'
  const many = await onNodes(await newDatabase(), 1, (served) =>
    run.againstN(async () => {
      const result = await accept(run, name, served, hundred)
      return { ...result, perSecond: result.perSecond * 100 }
    }),
  )
  return [...figures, figureOf(name, many)]
} // prettier-ignore

const barOf = (nodes: number, ofOne: number): Pick<Figure, 'bar'> =>
  nodes === 1
    ? { bar: { kind: 'of-n', least: 0.25 } }
    : { bar: { kind: 'holds', holds: ofOne >= 0.9, says: `≥ 0.9 × one node (${ofOne.toFixed(2)} ×)` } }

interface Served {
  account: BenchAccount
  servers: readonly ServerProcess[]
}

/** Servers on one database, each with a data folder and a name of its own. */
async function onNodes<T>(databaseUrl: string, nodes: number, use: (served: Served) => Promise<T>): Promise<T> {
  const folders = await Promise.all(Array.from({ length: nodes }, (_, i) => makeFolder(databaseUrl, { ONESIXTY_NODE: `node-${i}` })))
  const servers: ServerProcess[] = []
  try {
    const account = await makeAccount(folders[0] as (typeof folders)[0], ['offline=true'])
    for (const folder of folders) servers.push(await startServer(folder))
    return await use({ account, servers })
  } finally {
    for (const server of servers) await server.stop()
    for (const folder of folders) await folder.remove()
  }
} // prettier-ignore

const accept = (run: BenchRun, name: string, { account, servers }: Served, shape: RequestShape): Promise<MeasuredLoad> =>
  run.load(name, {
    server: servers[0] as ServerProcess,
    otherPorts: servers.slice(1).map(({ port }) => port),
    token: account.liveKey,
    shape,
  }) // prettier-ignore

const figureOf = (name: string, { perSecond, ofN, latency, facts }: MeasuredLoad & { ofN: number }): Figure => ({
  row: 13,
  name,
  value: `${perSecondOf(perSecond)}, ${latencyOf(latency)}`,
  ofN,
  facts,
}) // prettier-ignore

async function measureLivesOn(run: BenchRun, newDatabase: () => Promise<string>): Promise<Figure[]> {
  const { lives } = run.lengths
  const common = { row: 13, settings: ['delay_ms=0'] }
  const [ofOne, ofHundred] = [await newDatabase(), await newDatabase()]
  return [
    ...(await measureLives(run, {
      ...common, databaseUrl: ofOne, name: 'whole life on PostgreSQL, one recipient', shape: one, requests: Math.ceil(lives.one / 3), least: 0.18,
    })),
    ...(await measureLives(run, {
      ...common, databaseUrl: ofHundred, name: 'whole life on PostgreSQL, 100 recipients a request', shape: hundred, requests: Math.ceil(lives.hundred / 3), least: 0.18,
    })),
  ]
} // prettier-ignore

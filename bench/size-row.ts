import { statSync } from 'node:fs'
import { startPostgres, withDatabase } from '../test/postgres-server.ts'
import type { BenchRun } from './bench-run.ts'
import type { Figure } from './figure.ts'
import { waitUntilFinal } from './life-rows.ts'
import { one, textOfMessages } from './load-job.ts'
import { openSizeReader, sayEach, sayGrowth, type SizeReader } from './postgres-sizes.ts'
import {
  databaseOf,
  makeAccount,
  makeFolder,
  queryServer,
  type ServedBench,
  startServer,
  withServer,
} from './server-process.ts'

/** Row 14: what a delivered message leaves on the disk, of one recipient a request: every table and index, attempts and traffic included. */
export async function measureSizes(run: BenchRun): Promise<Figure[]> {
  return [await measureEmbedded(run), ...(await measurePostgresSizes(run))]
}

const named = `of a delivered message with ${textOfMessages.length} characters`
const settings = ['delay_ms=0']

async function measureEmbedded(run: BenchRun): Promise<Figure> {
  const folder = await makeFolder()
  try {
    const account = await makeAccount(folder, settings)
    const server = await startServer(folder)
    let messages: number
    try {
      messages = await live(run, { folder, account, server }, firstLives(run))
    } finally {
      await server.stop()
    }
    // The server has stopped: the log is part of the file again.
    const bytes = statSync(databaseOf(folder)).size / messages
    return { row: 14, name: `bytes ${named}, embedded database`, value: bytesOf(bytes) }
  } finally {
    await folder.remove()
  }
}

/** What issue 33 allows. */
const mostBytes = 2_500
const mostLogBytes = 4_500

/** PostgreSQL visits each database once a minute for its vacuum: this rate gives it several visits within a run. */
const postgresPerSecond = 300

/**
 * On a PostgreSQL with settings of its own, whose autovacuum is at work: what the lives after the first ones add, because space that a
 * vacuum has freed is used again from then on.
 */
async function measurePostgresSizes(run: BenchRun): Promise<Figure[]> {
  const postgres = await startPostgres()
  try {
    await queryServer(postgres.url, 'create database bench_sizes')
    const databaseUrl = withDatabase(postgres.url, 'bench_sizes')
    const reader = await openSizeReader(databaseUrl)
    try {
      return await withServer({ settings, databaseUrl }, (served) => measureGrowth(run, served, reader))
    } finally {
      await reader.close()
    }
  } finally {
    await postgres.stop()
  }
}

async function measureGrowth(run: BenchRun, served: ServedBench, reader: SizeReader): Promise<Figure[]> {
  const first = await live(run, served, firstLives(run), postgresPerSecond)
  const from = await reader.read()
  const messages = await live(run, served, 2 * firstLives(run), postgresPerSecond)
  const to = await reader.read()
  const alive = await reader.readLive()
  const bytes = (to.databaseBytes - from.databaseBytes) / messages
  const logBytes = (to.logBytes - from.logBytes) / messages
  const lives = `${first.toLocaleString('en')} to ${(first + messages).toLocaleString('en')} lives`
  return [
    {
      row: 14,
      name: `bytes ${named}, PostgreSQL`,
      value: `${bytesOf(bytes)}, from ${lives}, with autovacuum`,
      bar: { kind: 'most', most: mostBytes, is: Math.round(bytes), unit: 'B' },
    },
    {
      row: 14,
      name: `bytes of write-ahead log ${named}, PostgreSQL`,
      value: bytesOf(logBytes),
      bar: { kind: 'most', most: mostLogBytes, is: Math.round(logBytes), unit: 'B' },
    },
    { row: 14, name: 'these bytes by table and index', value: sayGrowth(from.relations, to.relations, messages) },
    { row: 14, name: 'its rows and entries of indexes after a vacuum', value: sayEach(alive, first + messages) },
  ]
} // prettier-ignore

/** Enough that pages half full do not count. */
const firstLives = ({ lengths }: BenchRun): number => Math.ceil(lengths.lives.one / 10)

/** Sends so many messages and waits until all is final. */
async function live(
  run: BenchRun,
  { folder, account, server }: ServedBench,
  maxRequests: number,
  perSecond: number | null = null,
): Promise<number> {
  const { messages } = await run.load('messages for their size', {
    server,
    token: account.liveKey,
    shape: one,
    warmUpMs: 0,
    measureMs: 240_000,
    maxRequests,
    perSecond,
  })
  await waitUntilFinal(folder)
  return messages
}

const bytesOf = (value: number): string => `${Math.round(value).toLocaleString('en')} B`

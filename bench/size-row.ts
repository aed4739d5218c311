import { statSync } from 'node:fs'
import { Client } from 'pg'
import { startPostgres, withDatabase } from '../test/postgres-server.ts'
import type { BenchRun } from './bench-run.ts'
import type { Figure } from './figure.ts'
import { waitUntilFinal } from './life-rows.ts'
import { one, textOfMessages } from './load-job.ts'
import { type BenchFolder, databaseOf, makeAccount, makeFolder, startServer } from './server-process.ts'

/** Row 14: what a delivered message leaves on the disk, of one recipient a request: every table and index, attempts and traffic included. */
export async function measureSizes(run: BenchRun): Promise<Figure[]> {
  return [await measureEmbedded(run), ...(await measurePostgresSizes(run))]
}

const named = `of a delivered message with ${textOfMessages.length} characters`

async function measureEmbedded(run: BenchRun): Promise<Figure> {
  const folder = await makeFolder()
  try {
    const messages = await liveIn(run, folder)
    // The server has stopped: the log is part of the file again.
    const bytes = statSync(databaseOf(folder)).size / messages
    return { row: 14, name: `bytes ${named}, embedded database`, value: bytesOf(bytes) }
  } finally {
    await folder.remove()
  }
}

async function measurePostgresSizes(run: BenchRun): Promise<Figure[]> {
  const postgres = await startPostgres()
  const admin = new Client({ connectionString: postgres.url })
  await admin.connect()
  const ask = async (select: string): Promise<number> => {
    const { rows } = await admin.query<{ bytes: string }>(select)
    return Number(rows[0]?.bytes)
  }
  const sizeNow = "select pg_database_size('bench_sizes') as bytes"
  const logNow = "select pg_current_wal_insert_lsn() - '0/0' as bytes"
  try {
    await admin.query('create database bench_sizes')
    const folder = await makeFolder(withDatabase(postgres.url, 'bench_sizes'))
    try {
      const emptyBytes = await ask(sizeNow)
      const logBytes = await ask(logNow)
      const messages = await liveIn(run, folder)
      const bytes = ((await ask(sizeNow)) - emptyBytes) / messages
      const logged = ((await ask(logNow)) - logBytes) / messages
      return [
        { row: 14, name: `bytes ${named}, PostgreSQL`, value: bytesOf(bytes) },
        { row: 14, name: `bytes of write-ahead log ${named}, PostgreSQL`, value: bytesOf(logged) },
      ]
    } finally {
      await folder.remove()
    }
  } finally {
    await admin.end()
    await postgres.stop()
  }
}

/** Sends until there are enough that pages half full do not count, waits until all is final, and stops the server. */
async function liveIn(run: BenchRun, folder: BenchFolder): Promise<number> {
  const account = await makeAccount(folder, ['delay_ms=0'])
  const server = await startServer(folder)
  try {
    const maxRequests = Math.ceil(run.lengths.lives.one / 10)
    const { messages } = await run.load('messages for their size', {
      server,
      token: account.liveKey,
      shape: one,
      warmUpMs: 0,
      measureMs: 180_000,
      maxRequests,
    })
    await waitUntilFinal(folder)
    return messages
  } finally {
    await server.stop()
  }
}

const bytesOf = (value: number): string => `${Math.round(value).toLocaleString('en')} B`

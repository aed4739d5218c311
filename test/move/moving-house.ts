import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, inject } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { databaseFile } from '../../src/process/data-folder.ts'
import { openDatabaseFile } from '../../src/storage/sqlite/database-file.ts'
import { readTableShapes, type TableShape } from '../../src/storage/move/table-shapes.ts'
import type { CliResult } from '../cli/run-cli.ts'
import { withDatabase } from '../postgres-server.ts'

type Row = Record<string, string | number | null>

/** An embedded database in a folder of its own, and an empty one on the server to move it to. */
export interface MovingHouse {
  dataFolder: string
  /** As it is given to `move`: without the password, which is in PGPASSWORD. */
  url: string
  /** With the password, as DATABASE_URL may have it. */
  fullUrl: string
  /** On the target. */
  target: pg.Client
  /** One command line on the embedded database, in this process. */
  run(line: string, env?: Record<string, string>): Promise<CliResult>
  move(more?: string): Promise<CliResult>
  /** Makes the tables on the target, as a server that is started there does. */
  migrateTarget(): Promise<void>
  /** Looks at or changes the embedded database. */
  withSource<T>(use: (database: DatabaseSync) => T): T
  shapes(): Promise<TableShape[]>
  /** All rows of a table, in the order of its key, from both sides. */
  rowsOf(shape: TableShape): Promise<{ source: Row[]; target: Row[] }>
  close(): Promise<void>
}

/** `account create` has made the embedded database. */
export async function openMovingHouse(): Promise<MovingHouse> {
  const passwordBefore = process.env['PGPASSWORD']
  process.env['PGPASSWORD'] = 'postgres'
  const dataFolder = await mkdtemp(join(tmpdir(), 'onesixty-moving-'))
  const name = basename(dataFolder)
  const admin = await connect(inject('postgresUrl'))
  await admin.query(`create database "${name}"`)
  const fullUrl = withDatabase(inject('postgresUrl'), name)
  const url = fullUrl.replace(':postgres@', '@')
  const target = await connect(fullUrl)
  const run: MovingHouse['run'] = async (line, env = {}) => {
    const said = { stdout: '', stderr: '' }
    const io = {
      stdout: { write: (text: string) => void (said.stdout += text) },
      stderr: { write: (text: string) => void (said.stderr += text) },
      stdin: (async function* () {})(),
      env: { ONESIXTY_DATA: dataFolder, ...env },
    }
    return { code: await runCommandLine(line.split(' '), io), ...said }
  }
  await run('account create --name Ada --email ada@example.org')
  const withSource: MovingHouse['withSource'] = (use) => {
    const database = new DatabaseSync(databaseFile(dataFolder))
    try {
      return use(database)
    } finally {
      database.close()
    }
  }
  return {
    dataFolder,
    url,
    fullUrl,
    target,
    run,
    move: (more = '') => run(`move --to ${url}${more}`),
    async migrateTarget() {
      const settings = {
        DATABASE_URL: fullUrl,
        ONESIXTY_SECRET: 'a secret of the tests that nobody else has',
      }
      expect((await run('migrate', settings)).code).toBe(0)
    },
    withSource,
    async shapes() {
      const { db, close } = openDatabaseFile(databaseFile(dataFolder))
      const shapes = await readTableShapes(db)
      await close()
      return shapes
    },
    async rowsOf({ name: table, columns, key }) {
      const names = columns.map((column) => `"${column.name}"`).join(', ')
      const statement = `select ${names} from "${table}" order by ${key.map((column) => `"${column}"`).join(', ')}`
      const { rows } = await target.query<Row>(statement)
      const source = withSource((database) => database.prepare(statement).all() as Row[])
      return { source: source.map((row) => ({ ...row })), target: rows }
    },
    async close() {
      await target.end()
      await admin.query(`drop database if exists "${name}" with (force)`)
      await admin.end()
      await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 })
      if (passwordBefore === undefined) delete process.env['PGPASSWORD']
      else process.env['PGPASSWORD'] = passwordBefore
    },
  }
}

/** bigint, smallint and integer, as numbers. */
const numbers: ReadonlySet<number> = new Set([20, 21, 23])

async function connect(connectionString: string): Promise<pg.Client> {
  const types: pg.CustomTypesConfig = {
    getTypeParser: (oid: number) => (text: string | Buffer) =>
      numbers.has(oid) ? Number(text) : String(text),
  }
  const client = new pg.Client({ connectionString, types })
  await client.connect()
  return client
}

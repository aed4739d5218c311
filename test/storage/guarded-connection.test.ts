import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { guardConnection, type GuardedConnection } from '../../src/storage/sqlite/guarded-connection.ts'
import { StorageError } from '../../src/storage/seam/dialect.ts'
import { SqliteConnection, type Statement } from '../../src/storage/sqlite/sqlite-connection.ts'

let folder: string
let connection: SqliteConnection
let guarded: GuardedConnection

const exec = (sql: string): Statement => ({ op: 'exec', sql, values: [] })
const rows = () => connection.execute({ op: 'all', sql: 'select n from t', values: [] }).rows

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-guard-'))
  connection = new SqliteConnection({
    file: join(folder, 'a.db'),
    readOnly: false,
    busyTimeoutMs: 0,
    cacheKiB: 1_024,
  })
  guarded = guardConnection(connection)
  guarded.execute(exec('create table t (n integer)'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

/** What SQLite does by itself when the disk is full or fails. */
const loseTransaction = () => connection.execute(exec('rollback'))

test('what was on its way when the transaction was lost does not commit by itself', async () => {
  await guarded.executor.transaction('begin')
  guarded.execute(exec('insert into t values (1)'))
  loseTransaction()
  expect(() => guarded.execute(exec('insert into t values (2)'))).toThrow('the transaction was lost')
  await expect(guarded.executor.transaction('commit')).rejects.toThrow('the transaction was lost')
  await guarded.executor.transaction('rollback')
  expect(rows()).toEqual([])
})

test('what ended the transaction is what everybody is told who still writes in it', async () => {
  let inTransaction = false
  const disk = {
    get inTransaction() {
      return inTransaction
    },
    execute({ sql }: Statement) {
      if (sql === 'fill') {
        inTransaction = false
        throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
      }
      inTransaction = sql === 'begin immediate'
      return {}
    },
  }
  const full = guardConnection(disk as unknown as SqliteConnection)
  const fault = { message: 'database or disk is full', fault: 'full', transactionLost: true }
  await full.executor.transaction('begin')
  expect(() => full.execute(exec('fill'))).toThrow(expect.objectContaining(fault))
  expect(() => full.execute(exec('insert'))).toThrow(expect.objectContaining(fault))
  await expect(full.executor.transaction('commit')).rejects.toMatchObject(fault)
  await full.executor.transaction('rollback')
  await full.executor.transaction('begin')
  inTransaction = false
  expect(() => full.execute(exec('insert'))).toThrow('the transaction was lost')
})

test('rolling back a transaction that is gone is harmless, and the next one works', async () => {
  await guarded.executor.transaction('begin')
  loseTransaction()
  await guarded.executor.transaction('rollback')
  await guarded.executor.transaction('begin')
  guarded.execute(exec('insert into t values (3)'))
  await guarded.executor.transaction('commit')
  expect(rows()).toEqual([[3]])
})

test('behind its close the connection has let go of the file, and says of each statement that it is closed', async () => {
  await guarded.executor.close()
  await guarded.executor.close()
  expect(() => guarded.execute(exec('insert into t values (1)'))).toThrow(StorageError)
  await rename(join(folder, 'a.db'), join(folder, 'b.db'))
  expect(await readdir(folder)).toEqual(['b.db'])
})

test('a statement that reads all columns names one that was added since it was prepared', () => {
  const all: Statement = { op: 'all', sql: 'select * from t', values: [] }
  guarded.execute(exec('insert into t values (1)'))
  expect(guarded.execute(all)).toEqual({ columns: ['n'], rows: [[1]] })
  guarded.execute(exec('alter table t add column m integer not null default 2'))
  expect(guarded.execute(all)).toEqual({ columns: ['n', 'm'], rows: [[1, 2]] })
})

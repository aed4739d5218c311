import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isTransient, StorageError } from '../../src/storage/seam/dialect.ts'
import { guardConnection } from '../../src/storage/sqlite/guarded-connection.ts'
import { SqliteConnection, type Statement } from '../../src/storage/sqlite/sqlite-connection.ts'
import { faultOf } from '../../src/storage/sqlite/sqlite-faults.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-faults-'))
  file = join(folder, 'a.db')
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

const exec = (sql: string): Statement => ({ op: 'exec', sql, values: [] })
const open = (readOnly = false) =>
  guardConnection(new SqliteConnection({ file, readOnly, busyTimeoutMs: 0, cacheKiB: 1_024 }))

function faultIn(run: () => unknown): StorageError {
  try {
    run()
  } catch (error) {
    if (error instanceof StorageError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

test('a database that cannot be written to now is unavailable, and its rows can be read', () => {
  const connection = open()
  connection.execute(exec('create table t (n integer)'))
  const statement = exec('insert into t values (1)')
  const ofReader = faultIn(() => open(true).execute(statement))
  connection.execute(exec('pragma query_only = on'))
  const error = faultIn(() => connection.execute(statement))
  for (const each of [ofReader, error]) expect([each.fault, isTransient(each)]).toEqual(['unavailable', true])
  connection.execute({ op: 'all', sql: 'select n from t', values: [] })
  connection.execute(exec('pragma query_only = off'))
  connection.execute(statement)
})

const canBound = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0
const sourceOf = (module: string): string =>
  JSON.stringify(new URL(`../../src/storage/sqlite/${module}.ts`, import.meta.url).href)

test.skipIf(!canBound)('without memory it is unavailable, and takes the next', async () => {
  // The address space of a process of its own is bounded to what it has and 100 MB: 900 MB in one value cannot be had, and less can.
  const script = `
    import { execFileSync } from 'node:child_process'
    import { readFileSync } from 'node:fs'
    import { guardConnection } from ${sourceOf('guarded-connection')}
    import { SqliteConnection } from ${sourceOf('sqlite-connection')}
    const { execute } = guardConnection(new SqliteConnection({ file: ${JSON.stringify(file)}, readOnly: false, busyTimeoutMs: 0, cacheKiB: 1024 }))
    const exec = (sql) => execute({ op: 'exec', sql, values: [] })
    exec('create table t (n integer)')
    const bytes = Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[0]) * 4096
    execFileSync('prlimit', ['--pid', String(process.pid), '--as=' + (bytes + 100_000_000)])
    try { exec('insert into t values (length(randomblob(900000000)))') } catch (error) { console.log(error.fault, error.message) }
    exec('insert into t values (length(randomblob(1000)))')
    console.log(execute({ op: 'all', sql: 'select n from t', values: [] }).rows.join())`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  expect(stdout).toBe('unavailable out of memory\n1000\n')
})

test.for([
  ['PROTOCOL', 15, 'busy'],
  ['READONLY_DBMOVED', 1032, 'unavailable'],
  ['READONLY_CANTLOCK', 520, 'unavailable'],
  ['IOERR_NOMEM', 3082, 'unavailable'],
  ['TOOBIG', 18, 'other'],
  ['CORRUPT', 11, 'damaged'],
  ['CONSTRAINT_CHECK', 275, 'constraint'],
] as const)('%s, which cannot be had at will, is what its primary code says', ([, code, fault]) => {
  expect(faultOf(code)).toBe(fault)
})

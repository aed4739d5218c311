import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../src/storage/postgres/postgres-database.ts'
import { eventually } from '../eventually.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { openServed, openSession } from './served-storage.ts'

const settings = { applicationName: 'start', readers: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000 }

test.each([
  ['synchronous_commit', 'off'],
  ['synchronous_commit', 'local'],
  ['synchronous_commit', 'remote_write'],
])('a start on a server where %s is %s is refused, in words that say what to change', async (name, value) => {
  const { beside, url } = await openServed()
  await set(beside, `set ${name} = ${value}`)
  await expect(openPostgres({ ...settings, url }, 0)).rejects.toThrow(`${name} is ${value}, and must be`)
})

describe('what holds for a whole server', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.stop())

  test.each(['fsync', 'full_page_writes'])(
    'a start where %s is off is refused, in words that say what to change, and goes on once it is on',
    async (name) => {
      const admin = await openSession(server.url)
      const turn = async (value: 'off' | 'on'): Promise<void> => {
        await admin.query(`alter system set ${name} = ${value}`)
        await admin.query('select pg_reload_conf()')
        const shown = async () => (await admin.query<Record<string, string>>(`show ${name}`)).rows[0]?.[name]
        await eventually(shown, (seen) => expect(seen).toBe(value))
      }
      const tables = async () =>
        (await admin.query("select from pg_tables where schemaname = 'public'")).rowCount
      const start = () => openPostgres({ ...settings, url: server.url }, 0)
      const before = await tables()
      await turn('off')
      await expect(start()).rejects.toThrow(`${name} is off, and must be on`)
      expect(await tables(), 'nothing was written').toBe(before)
      await turn('on')
      await (await start()).close()
    },
  )
})

test('a node that comes back to a server that has become unsafe writes nothing there until it is safe', async () => {
  const { storage, beside } = await openServed()
  const write = () =>
    storage.writer.write((tx) => tx.selectFrom('accounts').select('id').execute()).catch(String)
  expect(await write()).toEqual([])
  await set(beside, 'set synchronous_commit = off')
  // As a failover does.
  await beside.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'served' and datname = current_database()",
  )
  const refused = expect.stringContaining('synchronous_commit is off, and must be')
  await eventually(write, (said) => expect(said).toEqual(refused))
  expect(await write()).toEqual(refused)
  await set(beside, 'reset synchronous_commit')
  expect(await write()).toEqual([])
})

async function set(beside: Client, change: string): Promise<void> {
  const { rows } = await beside.query<{ database: string }>('select current_database() as database')
  await beside.query(`alter database "${rows[0]!.database}" ${change}`)
}

import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readMigrations } from '../../src/storage/seam/migrate.ts'
import { readWholeSchema } from '../../src/storage/seam/whole-schema.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'

const sqlite = new DatabaseSync(':memory:')
let server: PostgresServer
let postgres: Client

beforeAll(async () => {
  for (const { statements } of await readMigrations('sqlite')) sqlite.exec(statements)
  server = await startPostgres()
  postgres = new Client({ connectionString: server.url })
  await postgres.connect()
  for (const { statements } of await readMigrations('postgres')) await postgres.query(statements)
}, 60_000)

afterAll(async () => {
  await postgres?.end()
  await server?.stop()
}, 60_000)

interface Column {
  tableName: string
  name: string
  type: string
  nullable: boolean
}

function sqliteColumns(): Column[] {
  const rows = sqlite
    .prepare(
      `select t.name as "tableName", c.name, c.type, c."notnull" as needed, c.pk from sqlite_master t, pragma_table_info(t.name) c
       where t.type = 'table' order by t.name, c.name`,
    )
    .all() as unknown as { tableName: string; name: string; type: string; needed: number; pk: number }[]
  return rows.map(({ tableName, name, type, needed, pk }) => ({
    tableName,
    name,
    type: type.toLowerCase(),
    nullable: needed === 0 && pk === 0,
  }))
}

async function postgresColumns(): Promise<Column[]> {
  const { rows } = await postgres.query<{ tableName: string; name: string; type: string; nullable: boolean }>(
    `select table_name as "tableName", column_name as name, data_type as type, is_nullable = 'YES' as nullable
     from information_schema.columns where table_schema = 'public' order by table_name collate "C", column_name collate "C"`,
  )
  const integers = new Set(['bigint', 'smallint'])
  return rows.map((row) => ({ ...row, type: integers.has(row.type) ? 'integer' : row.type }))
}

test('both sets of migrations yield the same tables and columns', async () => {
  const columns = sqliteColumns()
  expect(columns.length).toBeGreaterThan(150)
  expect(await postgresColumns()).toEqual(columns)
})

test('a new embedded database has the schema that its migrations yield one by one, and one of other migrations is not taken', async () => {
  const migrations = await readMigrations('sqlite')
  const fresh = new DatabaseSync(':memory:')
  fresh.exec(readWholeSchema(migrations) ?? '')
  const schema = 'select type, name, tbl_name, sql from sqlite_master order by type, name'
  expect(fresh.prepare(schema).all()).toEqual(sqlite.prepare(schema).all())
  fresh.close()
  expect(readWholeSchema(migrations.slice(0, -1))).toBeNull()
})

test('both databases compare texts octet by octet, whatever the language of the server', async () => {
  const { rows } = await postgres.query<{ column: string; collation: string | null }>(
    `select table_name || '.' || column_name as column, collation_name as collation
     from information_schema.columns where table_schema = 'public' and data_type = 'text'`,
  )
  expect(rows.length).toBeGreaterThan(100)
  expect(rows.filter(({ collation }) => collation !== 'C')).toEqual([])
  const definitions = sqlite.prepare('select sql from sqlite_master where sql is not null').all()
  expect(JSON.stringify(definitions)).not.toMatch(/collate/i)

  const ids = ['a', 'B', '_', 'b', 'A-1', 'A1', 'ä', '9']
  const insert = (id: string, n: number): string =>
    `insert into parked_receipts (network_id, device_id, reading, body, received_at) values ('${id}', 'dev', ${n}, '', 1)`
  const sorted = 'select network_id as id from parked_receipts order by network_id'
  for (const [n, id] of ids.entries()) {
    sqlite.exec(insert(id, n))
    await postgres.query(insert(id, n))
  }
  const inOrder = ids.toSorted().map((id) => ({ id }))
  expect(sqlite.prepare(sorted).all()).toEqual(inOrder)
  expect((await postgres.query(sorted)).rows).toEqual(inOrder)
})

test('both sets of migrations yield the same keys and indexes', async () => {
  const fromSqlite = sqlite
    .prepare(
      `select t.name || ' ' || i."unique" || ' ' || (select group_concat(name) from (select name from pragma_index_info(i.name) order by seqno)) as line
       from sqlite_master t, pragma_index_list(t.name) i where t.type = 'table' order by 1`,
    )
    .all() as unknown as { line: string }[]
  const { rows } = await postgres.query<{ line: string }>(
    `select c.relname || ' ' || x.indisunique::int || ' ' || (select string_agg(a.attname, ',' order by k.n)
       from unnest(x.indkey) with ordinality k(attnum, n) join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum) as line
     from pg_index x join pg_class c on c.oid = x.indrelid join pg_namespace s on s.oid = c.relnamespace
     where s.nspname = 'public'`,
  )
  // SQLite keeps no index of its own for the rowid of `instance`.
  const expected = [...fromSqlite.map(({ line }) => line), 'instance 1 id'].toSorted()
  expect(rows.map(({ line }) => line).toSorted()).toEqual(expected)
})

test('both databases refuse the same nonsense', async () => {
  const nonsense = [
    "insert into accounts (id, name, state, created_at, updated_at) values ('a', 'n', 'asleep', 1, 1)",
    "insert into accounts (id, name, state, created_at, updated_at) values ('a', '', 'active', 1, 1)",
    "insert into wallets (account_id, mode, granted, reserved, used, low_threshold) values ('nobody', 'live', 1, 0, 0, 0)",
  ]
  sqlite.exec('pragma foreign_keys = on')
  for (const statement of nonsense) {
    expect(() => sqlite.exec(statement), statement).toThrow(/constraint/i)
    await expect(postgres.query(statement), statement).rejects.toThrow(/constraint/i)
  }
  const wallets = [
    [10, 11, 0],
    [10, 5, 6],
    [-1, 0, 0],
    [10, -1, 0],
  ]
  for (const database of [
    (text: string) => Promise.resolve(sqlite.exec(text)),
    (text: string) => postgres.query(text),
  ]) {
    await database(
      "insert into accounts (id, name, state, created_at, updated_at) values ('acc', 'n', 'active', 1, 1)",
    )
    for (const [granted, reserved, used] of wallets) {
      const insert = `insert into wallets (account_id, mode, granted, reserved, used, low_threshold) values ('acc', 'live', ${granted}, ${reserved}, ${used}, 0)`
      await expect((async () => database(insert))(), insert).rejects.toThrow(/constraint/i)
    }
  }
})

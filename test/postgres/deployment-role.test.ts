import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openPostgres } from '../../src/storage/postgres/postgres-database.ts'
import { accountReader } from '../../src/storage/postgres/row-security.ts'
import { withDatabase } from '../postgres-server.ts'

const script = readFileSync(join(import.meta.dirname, '../../deploy/postgres-role.sh'), 'utf8')
/** The role and the database belong to the whole server: a name of their own keeps other tests out of it. */
const name = `onesixty_${randomBytes(6).toString('hex')}`
const password = "it's a $word"

const asAdmin = async (run: (admin: Client) => Promise<unknown>): Promise<void> => {
  const admin = new Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  try {
    await run(admin)
  } finally {
    await admin.end()
  }
}

beforeAll(() =>
  asAdmin(async (admin) => {
    for (const statement of statementsOf(script)) await admin.query(statement)
  }),
)
afterAll(() =>
  asAdmin(async (admin) => {
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.query(`drop role if exists ${name}`)
  }),
)

test('the role of the containers may make the tables of the program, and write', async () => {
  const url = new URL(withDatabase(inject('postgresUrl'), name))
  url.username = name
  url.password = encodeURIComponent(password)
  const settings = {
    applicationName: 'test',
    readers: 1,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 60_000,
  }
  const storage = await openPostgres({ ...settings, url: url.href }, 0)
  try {
    expect(storage.migrated).toContain('0001_initial.sql')
    expect(storage.cluster).toMatch(/^\d+\/[0-9A-F]{8}$/)
    const instance = { id: 1, epoch: 1, directory_version: 1, created_at: 0, cluster: storage.cluster }
    await storage.writer.write((tx) => tx.insertInto('instance').values(instance).execute())
    expect(await storage.read.selectFrom('instance').select('epoch').execute()).toEqual([{ epoch: 1 }])
    // The wall around an account stands: what is read for one takes on the other role.
    const reader = await sql<{ role: string }>`select current_user as role`.execute(storage.readOf('acc_1'))
    expect(reader.rows).toEqual([{ role: accountReader }])
  } finally {
    await storage.close()
  }
})

test('it may do nothing else on the server, and nobody else may enter its database', async () => {
  await asAdmin(async (admin) => {
    const { rows: roles } = await admin.query(
      'select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls, rolcanlogin from pg_roles where rolname = $1',
      [name],
    )
    expect(roles.map((row: object) => Object.values(row))).toEqual([
      [false, false, false, false, false, true],
    ])
    const { rows: rights } = await admin.query(
      "select has_database_privilege('pg_monitor', $1, 'connect') as others, datdba = $2::regrole as owned from pg_database where datname = $1",
      [name, name],
    )
    expect(rights).toEqual([{ others: false, owned: true }])
  })
})

/** What psql would run, with its variable filled in and the names changed. */
function statementsOf(text: string): string[] {
  const [, statements = ''] = /<<'SQL'\n(.*)\nSQL\n/s.exec(text) ?? []
  expect(statements).toContain('\\getenv password DATABASE_PASSWORD')
  return statements
    .split('\n')
    .filter((line) => !line.startsWith('\\'))
    .map((line) =>
      line.replaceAll(/\bonesixty\b/g, name).replace(":'password'", `'${password.replaceAll("'", "''")}'`),
    )
}

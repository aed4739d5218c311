import { writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { epochFile } from '../../src/storage/instance/epoch-file.ts'
import { lockFolder } from '../../src/storage/instance/folder-lock.ts'
import { fillEveryTable } from './every-table.ts'
import { type MovingHouse, openMovingHouse } from './moving-house.ts'

let house: MovingHouse
beforeEach(async () => {
  house = await openMovingHouse()
})
afterEach(() => house.close())

/** Every table of the file itself, whatever the code makes of the schema. */
const tablesOfFile = (): string[] =>
  house.withSource((database) =>
    (
      database.prepare("select name from sqlite_master where type = 'table' order by name").all() as {
        name: string
      }[]
    ).map(({ name }) => name),
  )

test('every row of every table arrives as it was, a page at a time', async () => {
  const shapes = await house.shapes()
  house.withSource((database) => fillEveryTable(database, shapes))
  // A server has been started once.
  await writeFile(epochFile(house.dataFolder), '1\n')
  expect(
    [...shapes.map(({ name }) => name), 'moves', 'move_progress', 'schema_migrations'].toSorted(),
  ).toEqual(tablesOfFile())

  const { code, stdout, stderr } = await house.move(' --page-rows 1 --json')
  expect([code, stderr]).toEqual([1, ''])
  const { granted } = house.withSource((database) =>
    database.prepare('select sum(granted) as granted from wallets').get(),
  ) as { granted: number }
  const said = JSON.parse(stdout) as { rows: number; tables: number; sums: object; broken_sums: string[] }
  let rows = 0
  for (const shape of shapes) {
    const { source, target } = await house.rowsOf(shape)
    expect([shape.name, source.length > 0]).toEqual([shape.name, true])
    expect([shape.name, target]).toEqual([shape.name, source])
    rows += source.length
  }
  expect(said).toMatchObject({ rows, tables: shapes.length, sums: { granted, 'parts delivered': 1 } })
  // Rows that were made up from the schema add up on neither side, which is told, and keeps nobody from moving.
  expect(said.broken_sums).toContain('granted_is_ledger')
})

const codeOf = ({ code, stderr }: { code: number; stderr: string }): unknown[] => [
  code,
  /"code":"(\w+)"/.exec(stderr)?.[1],
]

test('an address with a password is refused, and the password not repeated', async () => {
  for (const url of [house.fullUrl, `${house.url}?password=postgres`]) {
    const refused = await house.run(`move --to ${url} --json`)
    expect(codeOf(refused)).toEqual([1, 'password_in_url'])
    expect(refused.stderr).toContain('set PGPASSWORD or a pgpass file')
    expect(refused.stderr).not.toContain('postgres:postgres')
  }
  expect((await house.target.query("select 1 from pg_tables where schemaname = 'public'")).rows).toEqual([])
})

test('what is no address of a database is refused, and so is anything but the embedded database', async () => {
  for (const url of ['db.example.org', 'mysql://db.example.org/onesixty', 'postgres://db.example.org'])
    expect(codeOf(await house.run(`move --to ${url} --json`))).toEqual([1, 'invalid_target'])
  expect(codeOf(await house.move(' --page-rows 0 --json'))).toEqual([1, 'invalid_page_rows'])
  expect(codeOf(await house.run(`move --to ${house.url} --json`, { DATABASE_URL: house.url }))).toEqual([
    1,
    'not_embedded',
  ])
  expect(
    codeOf(await house.run(`move --to ${house.url} --json`, { ONESIXTY_DATA: `${house.dataFolder}/none` })),
  ).toEqual([1, 'no_database'])
  expect(codeOf(await house.run('move --to postgres://postgres@127.0.0.1:9/none --json'))).toEqual([
    1,
    'storage_unavailable',
  ])
})

test('while a server has the data folder nothing moves', async () => {
  const lock = await lockFolder(house.dataFolder, { nowMs: 0, purpose: 'onesixty serve' })
  expect(codeOf(await house.move(' --json'))).toEqual([1, 'in_use'])
  lock.release()
  expect((await house.move()).code).toBe(0)
})

test('a database that holds anything is refused and left as it is', async () => {
  await house.target.query('create table invoices (id int)')
  const foreign = await house.move(' --json')
  expect(codeOf(foreign)).toEqual([1, 'target_in_use'])
  expect(foreign.stderr).toContain('The database contains the tables invoices. Move to an empty one')
  await house.target.query('drop table invoices')

  const served = {
    DATABASE_URL: house.fullUrl,
    ONESIXTY_SECRET: 'a secret of the tests that nobody else has',
  }
  expect((await house.run('account create --name Eve --email eve@example.org', served)).code).toBe(0)
  const used = await house.move(' --json')
  expect(codeOf(used)).toEqual([1, 'target_in_use'])
  expect(used.stderr).toContain('contains rows in ')
  expect((await house.target.query('select name from accounts')).rows).toEqual([{ name: 'Eve' }])
  expect((await house.run('account list')).code).toBe(0)
})

test('a database of a newer or another version is refused', async () => {
  await house.migrateTarget()
  await house.target.query("insert into schema_migrations values ('9999_later.sql', '', 0)")
  const newer = await house.move(' --json')
  expect([...codeOf(newer), newer.stderr.includes('9999_later.sql')]).toEqual([1, 'newer_target', true])
  await house.target.query("delete from schema_migrations where name like '9999%'")
  const { rows } = await house.target.query(
    "update schema_migrations set checksum = 'x' where name like '0001%' returning name",
  )
  expect([rows.length, ...codeOf(await house.move(' --json'))]).toEqual([1, 1, 'other_version'])
})

test('two cannot move to one database at once', async () => {
  await house.target.query('select pg_advisory_lock(160160161)')
  const refused = await house.move(' --json')
  expect(codeOf(refused)).toEqual([1, 'target_in_use'])
  expect(refused.stderr).toContain('Another process is moving')
}, 60_000)

test('an unfinished move of another database is not gone on with', async () => {
  await house.migrateTarget()
  await house.target.query("insert into moves values ('mov_other', 'in', 'eve:/srv', 'mov_x', 1, null)")
  const refused = await house.move(' --json')
  expect(codeOf(refused)).toEqual([1, 'target_in_use'])
  expect(refused.stderr).toContain('an unfinished move of another database (eve:/srv)')
})

test('what has moved is not used any more, nobody can change it, and moving again does nothing', async () => {
  const first = await house.move()
  expect([first.code, first.stderr]).toEqual([0, ''])
  expect(first.stdout).toContain(`ONESIXTY_SECRET set to the content of ${house.dataFolder}/secret`)
  expect(first.stdout).toContain(`DATABASE_URL=${house.url}`)
  expect((await house.run('account list')).stderr).toContain(`was moved to ${house.url} (`)
  // By a process that had opened it before, as by any other program.
  const change = (statement: string) => () => house.withSource((database) => database.exec(statement))
  expect(change('update wallets set granted = granted + 1')).toThrow(`was moved to ${house.url} (`)
  expect(change('delete from wallets')).toThrow('was moved to')
  expect(
    change("insert into users (id, email, name, is_operator, created_at) values ('u', 'u', 'u', 0, 0)"),
  ).toThrow('was moved to')

  const again = await house.move()
  expect([again.code, again.stdout.split('\n')[0]]).toEqual([
    0,
    `All data was already moved to ${house.url}.`,
  ])
  expect((await house.run(`move --to ${house.url}-2 --json`)).stderr).toContain(`was moved to ${house.url} (`)
  await house.target.query('update moves set id = $1', ['mov_other'])
  expect(codeOf(await house.move(' --json'))).toEqual([1, 'target_changed'])
})

test('the way back is a backup, which holds what waits', async () => {
  const copy = `${house.dataFolder}/copy.db`
  await house.run(`backup ${copy}`)
  await house.move()
  expect((await house.run('account list')).code).toBe(78)
  expect((await house.run(`restore ${copy}`)).code).toBe(0)
  expect((await house.run('account list')).code).toBe(0)
  // What it moves to next is another place: the first one is in use.
  expect(codeOf(await house.move(' --json'))).toEqual([1, 'target_in_use'])
})

test('a server that asks for a password which is missing or wrong says where it is looked for', async () => {
  for (const password of [undefined, 'wrong']) {
    if (password === undefined) delete process.env['PGPASSWORD']
    else process.env['PGPASSWORD'] = password
    const refused = await house.move(' --json').finally(() => (process.env['PGPASSWORD'] = 'postgres'))
    expect([password, ...codeOf(refused)]).toEqual([password, 1, 'password_refused'])
    expect(refused.stderr).not.toContain('SASL')
    expect(refused.stderr).toContain('The password is read from PGPASSWORD, else from a pgpass file')
  }
})

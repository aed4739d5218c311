import { writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listMigrations } from '../../scripts/release/deb.ts'
import { databaseFile } from '../../src/process/data-folder.ts'
import { openDatabase } from '../open-database.ts'
import { isPostgres, makeTestFolder, removeTestFolder } from '../test-database.ts'
import { cli } from '../run-command.ts'
import { type Cli, openCli } from './run-cli.ts'

let house: Cli
beforeEach(async () => {
  house = await openCli()
  await house.json('account create --name Ada --email ada@example.org')
})
afterEach(() => house.close())

async function change(statement: string): Promise<void> {
  const { db, close } = openDatabase(house.dataFolder)
  await sql.raw(statement).execute(db)
  await close()
}

const withoutLast = (list: string): string => list.replaceAll(/^\w+ 00(?:29|[3-9]\d)_.*\n/gm, '')

test('a database of this version fits, and one of an older version says what a start would apply', async () => {
  expect(await house.json('migrate --check')).toEqual({ fits: true, pending: [] })
  await change(`delete from schema_migrations where name like '0029%'`)
  expect(await house.run('migrate --check')).toMatchObject({
    code: 0,
    stdout: 'The database fits: a start applies 0029_own_devices.sql.\n',
  })
})

test.for([
  [`insert into schema_migrations values ('9999_later.sql', 'x', 0)`, '9999_later.sql. Use a newer version.'],
  [`update schema_migrations set checksum = 'x' where name like '0001%'`, 'applied to this database: 0001_'],
] as const)('a database on which no start would succeed is refused with 65, and stays as it is: %s', async ([statement, words]) => {
  await change(statement)
  for (const line of ['migrate --check', 'migrate --check --known -'])
    expect(await house.run(line, await listMigrations())).toEqual({
      code: 65,
      stdout: '',
      stderr: expect.stringContaining(words),
    })
}) // prettier-ignore

test('the migrations of a package are compared by the program that is installed before it', async () => {
  const list = await listMigrations()
  expect(await house.run('migrate --check --known -', list)).toMatchObject({ code: 0 })
  const older = withoutLast(list)
  expect(older).not.toBe(list)
  expect(await house.run('migrate --check --known -', older)).toMatchObject({
    code: 65,
    stderr: expect.stringMatching(/that version does not know: 0029_own_devices\.sql/),
  })
})

test.for(['', 'sqlite 0001_initial.sql\n', 'mysql 0001_initial.sql x\n'])(
  'a list that is none refuses no database: %j',
  async (list) => {
    const { code, stderr } = await house.run('migrate --check --known -', list)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/no (?:line of migrations|migration)/) }) // prettier-ignore
  },
)

test.for([
  [{ ONESIXTY_PORT: 'none' }, 78, 'ONESIXTY_PORT'],
  [{ DATABASE_URL: 'postgres://127.0.0.1:1/gone' }, 1, ''],
] as const)('what says nothing about the version is not the code of a database that does not fit: %j', async ([env, code, words]) => {
  const ended = await cli(['migrate', '--check'], { dataFolder: house.dataFolder, env })
  expect(ended).toMatchObject({ code, stderr: expect.stringContaining(words) })
}) // prettier-ignore

test.skipIf(isPostgres)('a file that is no database says nothing about the version either', async () => {
  await writeFile(databaseFile(house.dataFolder), 'no database'.repeat(1_000))
  expect((await house.run('migrate --check')).code).toBe(1)
})

test('without a database there is nothing that could not fit, and none is created', async () => {
  const dataFolder = await makeTestFolder('onesixty-cli-', { isEmpty: true })
  const run = () => cli(['migrate', '--check'], { dataFolder, stdin: '', env: {} })
  for (const ended of [await run(), await run()])
    expect(ended).toMatchObject({ code: 0, stdout: 'There is no database yet: a start creates it.\n' })
  await removeTestFolder(dataFolder)
})

test('the list of another version is for the comparison alone', async () => {
  expect(await house.run('migrate --known -')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--known is for --check'),
  })
})

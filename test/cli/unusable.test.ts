import { mkdir, rm, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { epochFile } from '../../src/storage/instance/epoch-file.ts'
import { cliProcess } from '../harness.ts'
import { openDatabase } from '../open-database.ts'
import { type Cli, openCli } from './run-cli.ts'

let house: Cli
beforeEach(async () => {
  house = await openCli()
  await house.json('account create --name Ada --email ada@example.org')
})
afterEach(() => house.close())

async function damage(statement: string): Promise<void> {
  const { db, close } = openDatabase(house.dataFolder)
  await sql.raw(statement).execute(db)
  await close()
}

test.each([
  [
    'its file of epochs holds no number',
    () => writeFile(epochFile(house.dataFolder), 'x'),
    'does not contain a number',
  ],
  [
    'its file of epochs cannot be read',
    async () => {
      await rm(epochFile(house.dataFolder), { force: true })
      await mkdir(epochFile(house.dataFolder))
    },
    'cannot be read and written (EISDIR)',
  ],
  [
    'its folder has served a database, and this one has never been served',
    () => writeFile(epochFile(house.dataFolder), '3\n1700000000000\n000000000000007\n'),
    `To start with a new one, without its accounts, keys and messages, remove`,
  ],
  [
    'its database is newer than the program',
    () => damage(`insert into schema_migrations values ('9999_later.sql', 'x', 0)`),
    'Use a newer version.',
  ],
  [
    'a migration of its database was changed',
    () => damage(`update schema_migrations set checksum = 'x' where name like '0001%'`),
    'Restore the original file.',
  ],
])(
  'a start that no repetition would mend ends so that it is not repeated: %s',
  async (_why, spoil, sentence) => {
    await spoil()
    const { code, stderr } = await cliProcess(['serve'], { dataFolder: house.dataFolder })
    expect([code, stderr]).toEqual([78, expect.stringContaining(sentence)])
  },
)

test('so does one whose roles take a PostgreSQL that it is not given', async () => {
  const env = { DATABASE_URL: '', ONESIXTY_ROLES: 'api' }
  const { code, stderr } = await cliProcess(['serve'], { dataFolder: house.dataFolder, env })
  expect([code, stderr]).toEqual([78, expect.stringContaining('remove --roles and ONESIXTY_ROLES')])
})

test('a command on a database that is newer says so to programs too', async () => {
  await damage(`insert into schema_migrations values ('9999_later.sql', 'x', 0)`)
  const { code, stderr } = await house.run('account list --json')
  expect([code, JSON.parse(stderr)]).toMatchObject([78, { error: { code: 'unusable' } }])
})

test('a command on an empty database whose folder has served another one says so as a server does, and so does the doctor', async () => {
  await writeFile(epochFile(house.dataFolder), '3\n1700000000000\n000000000000007\n')
  const words = 'To start with a new one, without its accounts, keys and messages, remove'
  expect(await house.run('account list')).toMatchObject({ code: 78, stderr: expect.stringContaining(words) })
  const { code, stdout, stderr } = await house.run('doctor')
  expect([code === 0, `${stdout}${stderr}`]).toEqual([false, expect.stringContaining(words)])
})

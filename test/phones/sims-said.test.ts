import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listPhones } from '../../src/devices/list-phones.ts'
import { migrate, readMigrations } from '../../src/storage/migrate.ts'
import { isPostgres } from '../test-database.ts'
import { openRegistrationHouse, type RegistrationHouse } from './registration-house.ts'

/** What an app says of its SIMs, and what it leaves out. */

const simsNotSaid = '0020_sims_not_said.sql'

let house: RegistrationHouse
beforeEach(async () => {
  house = await openRegistrationHouse()
})
afterEach(() => house.close())

test('a phone that has no SIM is not taken for one whose app says nothing of them', async () => {
  const { token } = await house.mint()
  const silent = (await house.register(token, { sims: null }))!
  const empty = (await house.register(token, { sims: [] }))!
  expect(await house.find(silent.deviceToken)).toMatchObject({ sims: null })
  expect(await house.find(empty.deviceToken)).toMatchObject({ sims: [] })
  const listed = await listPhones(house.storage.read, { deviceId: silent.deviceId })
  expect(listed).toMatchObject([{ sims: [] }])
})

test.each([
  ['1.64.2', null],
  [null, null],
  ['1.65.0', []],
  ['1.68.0', []],
])(
  'an empty list that a former version wrote is the word of an app that tells its SIMs, and of no other: %s',
  async (appVersion, sims) => {
    const made = (await house.register((await house.mint()).token, { sims: [], appVersion }))!
    const { writer } = house.storage
    await writer.write((tx) => sql`delete from schema_migrations where name = ${simsNotSaid}`.execute(tx))
    const migrations = await readMigrations(isPostgres ? 'postgres' : 'sqlite')
    expect(await migrate(writer, migrations, house.clock.now())).toEqual([simsNotSaid])
    expect(await house.find(made.deviceToken)).toMatchObject({ sims })
  },
)

import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { androidKind } from '../../src/connectors/android/android.ts'
import { localLogin } from '../../src/connectors/try-local.ts'
import { addDevice, retireDevice, setDevice } from '../../src/devices/core/device-store.ts'
import { resumeLocalPhone, storeLocalPhone } from '../../src/dispatch/devices/store-local-phone.ts'
import { StorageError, type Tx } from '../../src/storage/seam/dialect.ts'
import { migrate, readMigrations } from '../../src/storage/seam/migrate.ts'
import { readJson } from '../../src/storage/tables/json-columns.ts'
import { isPostgres } from '../test-database.ts'
import { openRegistrationHouse, type RegistrationHouse } from './registration-house.ts'

let house: RegistrationHouse
beforeEach(async () => {
  house = await openRegistrationHouse()
})
afterEach(() => house.close())

const deps = () => ({ ...house.phoneDeps(), rules: androidKind })
const owner = () => ({ accountId: house.accountId, mode: 'live' as const, actor: 'test' })
const tried = (user = '') => ({
  given: localLogin('192.168.1.20', user, 'password'),
  device: { settings: { local_id: 'installation-1' }, name: 'samsung/a12', appVersion: '1.68.0', sims: null },
})
const resume = (user = '') =>
  house.storage.writer.write((tx) => resumeLocalPhone(tx, deps(), owner(), tried(user)))
const change = (deviceId: string, wanted: object) =>
  house.storage.writer.write((tx) => setDevice(tx, deps(), { deviceId, actor: 'test', ...wanted }))
const devices = async () =>
  (await house.storage.read.selectFrom('devices').selectAll().orderBy('id').execute()).map((row) => ({
    id: row.id,
    state: row.state,
    draining: row.draining,
    settings: readJson(row.settings),
  }))

test('a phone that is resumed without a user has the default user of the app, as it was tried', async () => {
  const id = await resume('ada')
  expect(await devices()).toMatchObject([{ id, settings: { local_user: 'ada' } }])
  expect(await resume()).toBe(id)
  const [device] = await devices()
  expect(device?.settings).toEqual({ local_address: '192.168.1.20', local_id: 'installation-1' })
})

test('a device that was disabled or drained is enabled when a guide resumes it, and not when its connection changes', async () => {
  const id = await resume()
  for (const wanted of [{ state: 'disabled' }, { isDraining: true }]) {
    await change(id, wanted)
    const before = await devices()
    await house.storage.writer.write((tx) =>
      storeLocalPhone(tx, deps(), { deviceId: id, actor: 'test' }, tried()),
    )
    expect(await devices()).toEqual(before)
    await resume()
    expect(await devices()).toMatchObject([{ id, state: 'enabled', draining: 0 }])
  }
})

test('the database refuses a second device for one installation of the app, until the first is removed', async () => {
  const first = await resume()
  const add = () =>
    house.storage.writer.write((tx) =>
      addDevice(tx, deps(), {
        ...owner(),
        kind: 'android',
        name: 'Another',
        settings: { local_address: '192.168.1.21', local_id: 'installation-1' },
      }),
    )
  await expect(add()).rejects.toMatchObject({ fault: 'constraint' })
  await change(first, { settings: { local_id: '' } })
  const second = await add()
  await expect(change(first, { settings: { local_id: 'installation-1' } })).rejects.toThrow(StorageError)
  await house.storage.writer.write((tx) => retireDevice(tx, deps(), { deviceId: second, actor: 'test' }))
  await change(first, { settings: { local_id: 'installation-1' } })
})

test('of two devices that an earlier version added for one installation, the later one is disconnected by the migration', async () => {
  const { writer } = house.storage
  const migrations = await readMigrations(isPostgres ? 'postgres' : 'sqlite')
  const [name = ''] = migrations.flatMap((each) => (each.name.endsWith('_reach_addresses.sql') ? each.name : []))
  const add = (localId: string) => (tx: Tx) =>
    addDevice(tx, deps(), { ...owner(), kind: 'android', name: 'P', settings: { visit_ms: '500', local_id: localId } })
  const ids = await writer.write(async (tx) => {
    await sql`drop index devices_by_installation`.execute(tx)
    await sql`alter table reach_checks drop column address`.execute(tx)
    await sql`alter table nodes drop column certificate`.execute(tx)
    await sql`delete from schema_migrations where name = ${name}`.execute(tx)
    const added: string[] = []
    for (const localId of ['one', 'one', 'two', '', '']) added.push(await add(localId)(tx))
    return added
  })
  expect(await migrate(writer, migrations, house.clock.now())).toEqual([name])
  const kept = new Map((await devices()).map(({ id, settings }) => [id, settings]))
  const ofId = (localId: string) => ({ visit_ms: '500', local_id: localId })
  expect(ids.map((id) => kept.get(id))).toEqual([ofId('one'), { visit_ms: '500' }, ofId('two'), ofId(''), ofId('')])
  await expect(writer.write(add('two'))).rejects.toMatchObject({ fault: 'constraint' })
}) // prettier-ignore

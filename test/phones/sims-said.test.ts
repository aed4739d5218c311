import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listPhones } from '../../src/devices/phones/list-phones.ts'
import { migrate, readMigrations } from '../../src/storage/seam/migrate.ts'
import { isPostgres } from '../test-database.ts'
import { createStubbedPhone, registrationOf } from './phone-fixture.ts'
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

/** As the app masks what is longer than four characters (`GatewayService.redact`, app 1.68). */
const masked = (text: string | null) =>
  text === null ? null : '*'.repeat(text.length - 4) + text.slice(text.length - 4)

const iccids = ['89490200001111111111', '89490200002222222222'] as const
const before = { slot: 1, number: '+4915112345671', carrier: 'Telco', iccid: iccids[0] }
const registeredWith = ({ number, iccid }: { number: string | null; iccid: string | null }) =>
  registrationOf({ sims: [{ slot: 1, number: masked(number), carrier: '*lco', iccid: masked(iccid) }] })

test.for([
  ['says a number of its own', null, { number: '+4915112345672', iccid: iccids[1] }],
  ['says no number', null, { number: null, iccid: iccids[1] }],
  ['ends in the same digits and is another card', null, { number: '+4915199995671', iccid: iccids[1] }],
  ['is the same one', '+4915112345671', before],
] as const)('a SIM that is put in the place of another and %s has the number %s', ([, number, now]) => {
  const { phone } = createStubbedPhone()
  phone.contact(registeredWith(before), null)
  phone.sawSims([before])
  phone.contact(registeredWith(now), null)
  expect(phone.health().sims?.map((sim) => sim.number)).toEqual([number])
  expect([...phone.sims.simOf]).toEqual(number === null ? [] : [[number, 1]])
}) // prettier-ignore

test('a SIM that was changed while the server was away has no number of the former one, and the one that it tells', () => {
  const { phone } = createStubbedPhone()
  const sims = [{ slot: 1, number: '+4915112345671', carrier: 'Telco' }]
  phone.remember({ status: 'online', link: 'stream', lastSeenAt: 1, appVersion: null, battery: null, network: null, sims } as never) // prettier-ignore
  expect([...phone.sims.simOf]).toEqual([['+4915112345671', 1]])
  const now = { slot: 1, number: '+4915112345672', carrier: 'Telco', iccid: iccids[1] }
  phone.contact(registeredWith(now), null)
  expect([...phone.sims.simOf]).toEqual([])
  phone.sawSims([now])
  expect([...phone.sims.simOf]).toEqual([['+4915112345672', 1]])
})

test('what a phone tells of its new SIM stands, although the registration of its start comes after', () => {
  const { phone } = createStubbedPhone()
  phone.contact(registeredWith(before), null)
  phone.sawSims([before])
  const now = { slot: 1, number: '+4915112345672', carrier: 'Telco', iccid: iccids[1] }
  phone.sawSims([now])
  phone.contact(registeredWith(before), null)
  phone.contact(registeredWith(now), null)
  expect([...phone.sims.simOf]).toEqual([['+4915112345672', 1]])
})

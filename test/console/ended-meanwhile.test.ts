import { afterAll, beforeAll, expect, test } from 'vitest'
import { setPassword } from '../../src/accounts/passwords.ts'
import { testPassword } from '../e2e/signed-in.ts'
import { beforeNextWrite } from './before-next-write.ts'
import { begin, openPasskeyHouse, type PasskeyHouse, type SignedIn } from './passkey-house.ts'
import { newSoftPasskey } from './soft-passkey.ts'
import { totp } from './visitor.ts'

let house: PasskeyHouse
beforeAll(async () => {
  house = await openPasskeyHouse()
})
afterAll(() => house.stop())

const next = 'vier Hasen am Bahnhof'

/** The owner of the address chooses a password while a call of somebody else is under way. The hash is of no password. */
const resetMeanwhile = ({ person: { userId } }: Pick<SignedIn, 'person'>): void =>
  beforeNextWrite(house, () =>
    house.app.storage.writer.write((tx) =>
      setPassword(tx, { nowMs: Date.now() }, { userId, passwordHash: 'of-the-owner' }),
    ),
  )

const rowsOf = async (table: 'passkeys' | 'auth_sessions', userId: string): Promise<number> => {
  const { read } = house.app.storage
  const rows =
    table === 'passkeys'
      ? await read.selectFrom(table).select('id').where('user_id', '=', userId).execute()
      : await read.selectFrom(table).select('id').where('userId', '=', userId).execute()
  return rows.length
}

test('a passkey that is added while the session ends is not kept', async () => {
  const visitor = await house.signedIn()
  const made = newSoftPasskey(house.url).make(await begin(visitor))
  resetMeanwhile(visitor)
  expect((await visitor.change('passkeys/add', { name: 'Phone', made })).status).toBe(401)
  expect(await rowsOf('passkeys', visitor.person.userId)).toBe(0)
})

test('a second factor that is confirmed while the session ends is not asked for', async () => {
  const visitor = await house.signedIn()
  const begun = await visitor.change('second-factor/begin', { password: testPassword })
  const { secret } = begun.body as { secret: string }
  resetMeanwhile(visitor)
  expect((await visitor.change('second-factor/confirm', { code: totp(secret) })).status).toBe(401)
  const user = house.app.storage.read
    .selectFrom('auth_users')
    .select('twoFactorEnabled')
    .where('id', '=', visitor.person.userId)
  expect((await user.executeTakeFirst())?.twoFactorEnabled ?? 0).toBe(0)
})

test('a password that is changed while the session ends replaces no newer one', async () => {
  const visitor = await house.signedIn()
  resetMeanwhile(visitor)
  expect((await visitor.change('profile/change-password', { password: testPassword, next })).status).toBe(401)
  const { read } = house.app.storage
  const stored = read
    .selectFrom('auth_credentials')
    .select('password')
    .where('userId', '=', visitor.person.userId)
  expect(await stored.executeTakeFirst()).toEqual({ password: 'of-the-owner' })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { setPassword } from '../../src/accounts/people/passwords.ts'
import { testPassword } from '../e2e/signed-in.ts'
import { beforeNextWrite } from './before-next-write.ts'
import { ask, begin, enter, openPasskeyHouse, type PasskeyHouse, type SignedIn } from './passkey-house.ts'
import { newSoftPasskey } from './soft-passkey.ts'
import { newVisitor, totp, type Visitor } from './visitor.ts'

let house: PasskeyHouse
beforeAll(async () => {
  house = await openPasskeyHouse()
})
afterAll(() => house.stop())

const next = 'vier Hasen am Bahnhof'

/** The owner of the address chooses a password while a call of somebody else is under way. The hash is of no password. */
const resetMeanwhile = (
  { person: { userId } }: Pick<SignedIn, 'person'>,
  isDue?: () => Promise<boolean>,
): void => {
  const { writer } = house.app.storage
  const reset = () =>
    writer.write((tx) => setPassword(tx, { nowMs: Date.now() }, { userId, passwordHash: 'of-the-owner' }))
  beforeNextWrite(house, reset, isDue)
}

const addSecondFactor = async (visitor: SignedIn): Promise<string> => {
  const { body } = await visitor.change('second-factor/begin', { password: testPassword })
  const { secret } = body as { secret: string }
  expect((await visitor.change('second-factor/confirm', { code: totp(secret) })).status).toBe(200)
  return secret
}

/** What lets a user in, or is about to. */
const rowsOf = async ({ person: { userId } }: SignedIn) => {
  const { read } = house.app.storage
  const [passkeys, sessions, challenges] = [
    await read.selectFrom('passkeys').select('id').where('user_id', '=', userId).execute(),
    await read.selectFrom('auth_sessions').select('id').where('userId', '=', userId).execute(),
    await read.selectFrom('auth_verifications').select('id').where('value', '=', userId).execute(),
  ]
  return { passkeys: passkeys.length, sessions: sessions.length, challenges: challenges.length }
}
const nothing = { passkeys: 0, sessions: 0, challenges: 0 }

test('a passkey that is added while the session ends is not kept', async () => {
  const visitor = await house.signedIn()
  const made = newSoftPasskey(house.url).make(await begin(visitor))
  resetMeanwhile(visitor)
  expect((await visitor.change('passkeys/add', { name: 'Phone', made })).status).toBe(401)
  expect(await rowsOf(visitor)).toEqual(nothing)
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

const signIn = (visitor: Visitor, { person: { email } }: SignedIn) =>
  visitor.change('session/sign-in', { email, password: testPassword })

test('a sign-in with the password starts no session when another one is chosen meanwhile', async () => {
  const visitor = await house.signedIn()
  const later = newVisitor(house.url)
  resetMeanwhile(visitor)
  expect((await signIn(later, visitor)).status).toBe(401)
  expect([...later.cookies.keys()]).toEqual([])
  expect(await rowsOf(visitor)).toEqual(nothing)
})

test('a sign-in waits for no code when another password is chosen meanwhile', async () => {
  const visitor = await house.signedIn()
  await addSecondFactor(visitor)
  const later = newVisitor(house.url)
  resetMeanwhile(visitor)
  expect((await signIn(later, visitor)).status).toBe(401)
  expect(await rowsOf(visitor)).toEqual(nothing)
})

test('the code of the second factor starts no session when another password is chosen meanwhile', async () => {
  const visitor = await house.signedIn()
  const secret = await addSecondFactor(visitor)
  const later = newVisitor(house.url)
  expect((await signIn(later, visitor)).body).toEqual({ state: 'code-needed' })
  // Once the code was taken, and before the session is stored.
  resetMeanwhile(visitor, async () => (await rowsOf(visitor)).challenges === 0)
  const code = totp(secret, Date.now() + 30_000)
  expect((await later.change('session/give-code', { code })).status).toBe(401)
  expect(await rowsOf(visitor)).toEqual(nothing)
})

test('a passkey starts no session when another password is chosen meanwhile', async () => {
  const { visitor, person, passkey } = await house.withPasskey()
  const later = newVisitor(house.url)
  const used = passkey.use(await ask(later))
  // Once its use was noted, and before the session is stored.
  resetMeanwhile({ person }, async () => (await house.audited(person.userId)).includes('user.passkey_used'))
  expect((await enter(later, used)).status).toBe(401)
  expect(await rowsOf({ ...visitor, person })).toEqual({ ...nothing, passkeys: 1 })
})

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueLink } from '../../src/accounts/people/one-time-links.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { testPassword } from '../e2e/signed-in.ts'
import { proveAddresses } from './identity-house.ts'
import { newSoftPasskey } from './soft-passkey.ts'
import { newVisitor, totp } from './visitor.ts'
import { add, begin, openPasskeyHouse, type PasskeyHouse, profile, whoIs } from './passkey-house.ts'

let house: PasskeyHouse
beforeAll(async () => {
  house = await openPasskeyHouse()
})
afterAll(() => house.stop())

const password = testPassword

const resetPassword = async (userId: string) => {
  const deps = { ids: createIds({ now: Date.now }), nowMs: Date.now(), randomBytes }
  const link = { purpose: 'reset', userId, lifeMs: 3_600_000, actor: 'test' } as const
  const { token } = await house.app.storage.writer.write((tx) => issueLink(tx, deps, link))
  return newVisitor(house.url).change('link/choose-password', { token, password })
}

describe('a passkey', () => {
  test('is added with the password, signs in, shows when it was used, and is removed with the password', async () => {
    const visitor = await house.signedIn()
    const { userId } = visitor.person
    expect(await profile(visitor)).toMatchObject({ passkeys: [], passkeyOrigin: house.url })
    expect((await visitor.change('passkeys/begin', { name: 'Phone', password: 'another one!' })).status).toBe(
      422,
    )
    const passkey = newSoftPasskey(house.url)
    const options = await begin(visitor)
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    const { body } = await visitor.change('passkeys/add', { name: ' Phone ', made: passkey.make(options) })
    const { passkeyId } = body as { passkeyId: string }
    expect((await profile(visitor)).passkeys).toEqual([
      { id: passkeyId, name: 'Phone', isSynced: false, createdAt: expect.any(Number), lastUsedAt: null },
    ])
    // A browser is told, so that it makes no second one on the same device.
    expect((await begin(visitor)).excludeCredentials).toMatchObject([
      { id: passkey.id, transports: ['internal'] },
    ])

    const later = newVisitor(house.url)
    const entered = await house.signIn(passkey, {}, later)
    expect(entered).toMatchObject({ status: 200, body: { state: 'signed-in' } })
    expect(entered.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-onesixty-session=.+; Max-Age=604800; .*HttpOnly; Secure; SameSite=Strict$/,
      ),
      // By which strangers that guess do not keep this browser out.
      expect.stringMatching(
        /^__Host-onesixty-browser=.+; Max-Age=34560000; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ])
    expect(await whoIs(later)).toBe(visitor.person.email)
    expect(await profile(later)).toMatchObject({ passkeys: [{ lastUsedAt: expect.any(Number) }] })
    expect((await profile(later)).sessions).toHaveLength(2)

    const removed = { passkeyId }
    expect((await later.change('passkeys/remove', { ...removed, password: 'another one!' })).status).toBe(422)
    expect((await house.bob.change('passkeys/remove', { ...removed, password })).status).toBe(404)
    expect((await later.change('passkeys/remove', { ...removed, password })).status).toBe(200)
    expect((await profile(later)).passkeys).toEqual([])
    expect(await house.signIn(passkey)).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('Unknown passkey') },
    })
    expect(await house.audited(userId)).toEqual([
      'user.passkey_added',
      'user.passkey_used',
      'user.passkey_removed',
    ])
  })

  test('stands for both factors: no code is asked for, which the password still needs', async () => {
    const { visitor, passkey, person } = await house.withPasskey()
    const { secret } = (await visitor.change('second-factor/begin', { password })).body as { secret: string }
    await visitor.change('second-factor/confirm', { code: totp(secret) })
    const later = newVisitor(house.url)
    expect(await house.signIn(passkey, {}, later)).toMatchObject({ body: { state: 'signed-in' } })
    expect(await whoIs(later)).toBe(person.email)
    const typed = await newVisitor(house.url).change('session/sign-in', { email: person.email, password })
    expect(typed.body).toEqual({ state: 'code-needed' })
    // Taking the app away takes no passkey.
    await visitor.change('second-factor/remove', { password })
    expect((await house.signIn(passkey)).status).toBe(200)
  })

  test('outlives a new password, of which the person is told, on the profile and by a link', async () => {
    const { visitor, passkey, person } = await house.withPasskey()
    await add(visitor, newSoftPasskey(house.url))
    const change = { password, next: 'vier Hasen am Bahnhof' }
    expect(await visitor.change('profile/change-password', change)).toMatchObject({ body: { passkeys: 2 } })
    await proveAddresses(house)
    expect((await resetPassword(person.userId)).body).toEqual({
      state: 'signed-in',
      passkeys: 2,
      removed: null,
    })
    expect((await house.signIn(passkey)).status).toBe(200)
  })

  test('ends with the first link that proves the address: until then somebody else may have added it', async () => {
    const { passkey, person } = await house.withPasskey()
    expect((await resetPassword(person.userId)).body).toEqual({
      state: 'signed-in',
      passkeys: 0,
      removed: { secondFactor: false, passkeys: 1 },
    })
    expect((await house.signIn(passkey)).status).toBe(401)
  })

  test('opens what the password opens, whatever became of the account', async () => {
    const { passkey, person } = await house.withPasskey()
    for (const state of ['suspended', 'closed'] as const) {
      await house.app.storage.writer.write((tx) =>
        tx.updateTable('accounts').set({ state }).where('id', '=', person.accountId).execute(),
      )
      const [byPasskey, byPassword] = [newVisitor(house.url), newVisitor(house.url)]
      await house.signIn(passkey, {}, byPasskey)
      await byPassword.change('session/sign-in', { email: person.email, password })
      const seen = (await byPasskey.read('session/read')).body
      expect(seen).toMatchObject({ accounts: [{ id: person.accountId, state }] })
      expect(seen).toEqual((await byPassword.read('session/read')).body)
    }
  })

  test('is gone with the sign-in of its person', async () => {
    const { passkey, person } = await house.withPasskey()
    await house.app.storage.writer.write((tx) =>
      tx.deleteFrom('auth_users').where('id', '=', person.userId).execute(),
    )
    expect((await house.signIn(passkey)).status).toBe(401)
  })

  test('is one of as many as the setting allows', async () => {
    const { visitor } = await house.withPasskey()
    const fourth = newSoftPasskey(house.url)
    const made = fourth.make(await begin(visitor))
    expect((await add(visitor, newSoftPasskey(house.url))).status).toBe(200)
    expect((await add(visitor, newSoftPasskey(house.url))).status).toBe(200)
    const tooMany = { status: 422, body: { errors: [{ code: 'too_many_items' }] } }
    // Before the device makes one that nobody keeps, and of those that were begun at once.
    expect(await visitor.change('passkeys/begin', { name: 'Phone', password })).toMatchObject(tooMany)
    expect(await visitor.change('passkeys/add', { name: 'Phone', made })).toMatchObject(tooMany)
  })

  test('is not begun under a name that it could not have', async () => {
    const visitor = await house.signedIn()
    expect(await visitor.change('passkeys/begin', { name: ' ', password })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/name' }] },
    })
  })
})

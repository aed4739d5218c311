import { argon2Sync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { StorageError, type Tx } from '../../src/storage/seam/dialect.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { newVisitor } from './visitor.ts'
import { type IdentityHouse, openIdentityHouse, password, whoIs } from './identity-house.ts'

let house: IdentityHouse
beforeAll(async () => {
  house = await openIdentityHouse()
})
afterAll(() => house.stop())

describe('signing up', () => {
  test('opens an account with 10 SMS, a key that works, and a session', async () => {
    const eve = await house.signedUp('eve@example.org')
    expect(await whoIs(eve)).toMatchObject({
      user: { email: 'eve@example.org' },
      accounts: [{ role: 'owner' }],
    })
    expect((await house.balanceWith(eve.testKey)).status).toBe(200)
    const wallet = await house.app.storage.read
      .selectFrom('wallets')
      .select(['granted', 'used'])
      .where('account_id', '=', eve.accountId)
      .where('mode', '=', 'live')
      .executeTakeFirstOrThrow()
    expect(wallet).toEqual({ granted: 10, used: 0 })
  })

  test('names what is wrong, and leaves nothing behind', async () => {
    const count = async () => (await house.app.storage.read.selectFrom('users').select('id').execute()).length
    const before = await count()
    const wrong = async (input: object) => {
      const given = { name: 'Eve', email: 'new@example.org', password, ...input }
      const { status, body } = await newVisitor(house.url).change('sign-up/open', given)
      expect(status).toBe(422)
      return (body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer)
    }
    expect(await wrong({ name: ' ', email: 'new' })).toEqual(['/name', '/email'])
    expect(await wrong({ password: 'passwordpassword' })).toEqual(['/password'])
    expect(await wrong({ email: 'ADA@example.org' })).toEqual(['/email'])
    expect(await count()).toBe(before)
  })

  test('gives nobody an account that the operator made for that address', async () => {
    await house.openAccount('Faye')
    const given = { name: 'Faye', email: 'faye@example.org', password }
    expect((await newVisitor(house.url).change('sign-up/open', given)).status).toBe(422)
    expect((await newVisitor(house.url).change('session/sign-in', given)).status).toBe(422)
    const { name: _, ...credentials } = given
    expect((await newVisitor(house.url).change('session/sign-in', credentials)).status).toBe(401)
  })
})

const ofToday = expect.stringMatching(/^\$argon2id\$v=19\$m=19456,/)
/** A hash of a cost that is not today's. */
function hashOfOtherCost(message: string): string {
  const nonce = Buffer.alloc(16, 1)
  const cost = { memory: 1_024, passes: 1, parallelism: 1 }
  const key = argon2Sync('argon2id', { message, nonce, tagLength: 32, ...cost })
  const [salt, tag] = [nonce, key].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=1024,t=1,p=1$${salt}$${tag}`
}

test('a password whose hash has another cost signs in, and lies under one of today from then on', async () => {
  const eve = await house.signedUp('eve-earlier@example.org')
  const { user } = (await whoIs(eve)) as unknown as { user: { id: string } }
  const { writer, read } = house.app.storage
  const stored = () =>
    read
      .selectFrom('auth_credentials')
      .select('password')
      .where('userId', '=', user.id)
      .executeTakeFirstOrThrow()
  expect(await stored()).toEqual({ password: ofToday })
  const old = hashOfOtherCost(password)
  await writer.write((tx) =>
    tx.updateTable('auth_credentials').set({ password: old }).where('userId', '=', user.id).execute(),
  )
  const signIn = (given: string) =>
    newVisitor(house.url).change('session/sign-in', { email: 'eve-earlier@example.org', password: given })
  expect((await signIn(`${password}!`)).status).toBe(401)
  expect(await stored()).toEqual({ password: old })
  for (const _ of [1, 2]) {
    expect((await signIn(password)).status).toBe(200)
    expect(await stored()).toEqual({ password: ofToday })
  }
})

test('a hash that cannot be renewed keeps nobody out', async () => {
  const eve = await house.signedUp('eve-full@example.org')
  const { user } = (await whoIs(eve)) as unknown as { user: { id: string } }
  const { writer } = house.app.storage
  const stored = (tx: Tx) =>
    tx.selectFrom('auth_credentials').select('password').where('userId', '=', user.id).executeTakeFirst()
  const old = hashOfOtherCost(password)
  await writer.write((tx) =>
    tx.updateTable('auth_credentials').set({ password: old }).where('userId', '=', user.id).execute(),
  )
  const write: Writer['write'] = writer.write.bind(writer)
  const refusing = vi.spyOn(writer, 'write').mockImplementation((unit) =>
    write(async (tx) => {
      const result = await unit(tx)
      if ((await stored(tx))?.password !== old) throw new StorageError('the disk is full', 'full', false)
      return result
    }),
  )
  try {
    const visitor = newVisitor(house.url)
    const answer = await visitor.change('session/sign-in', { email: 'eve-full@example.org', password })
    expect(answer).toMatchObject({ status: 200, body: { state: 'signed-in' } })
    expect((await whoIs(visitor)).user).toMatchObject({ email: 'eve-full@example.org' })
    expect(await write(stored)).toEqual({ password: old })
  } finally {
    refusing.mockRestore()
  }
})

test('use prolongs a session, once a day, and gives the browser its cookie anew', async () => {
  const eve = await house.signedUp('eve-stays@example.org')
  const { user } = (await whoIs(eve)) as unknown as { user: { id: string } }
  const dayMs = 86_400_000
  const { writer, read } = house.app.storage
  const setDaysLeft = (days: number) =>
    writer.write((tx) =>
      tx
        .updateTable('auth_sessions')
        .set({ expiresAt: new Date(Date.now() + days * dayMs).toISOString() })
        .where('userId', '=', user.id)
        .execute(),
    )
  const daysLeft = async (): Promise<number> => {
    const found = read.selectFrom('auth_sessions').select('expiresAt').where('userId', '=', user.id)
    return (Date.parse((await found.executeTakeFirstOrThrow()).expiresAt) - Date.now()) / dayMs
  }
  await setDaysLeft(6.5)
  expect((await eve.read('session/read')).headers.getSetCookie()).toEqual([])
  await setDaysLeft(5)
  const exported = { account: eve.accountId, mode: 'live', input: '{"filter":{},"format":"csv"}' }
  // A file brings no cookies: what it prolonged would outlive the browser's.
  expect((await eve.read('history/export', exported)).status).toBe(200)
  expect(await daysLeft()).toBeLessThan(5.1)
  const { headers } = await eve.read('keys/list', { account: eve.accountId, mode: 'live' })
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-onesixty-session=.+; Max-Age=604800; .*HttpOnly/),
  ])
  expect(await daysLeft()).toBeGreaterThan(6.9)
  expect((await eve.read('session/read')).headers.getSetCookie()).toEqual([])
})

test('the only owner cannot leave', async () => {
  const left = await house.bob.change('members/leave')
  expect(left).toMatchObject({ status: 422, body: { detail: expect.stringContaining('only owner') } })
})

describe('the own profile', () => {
  test('the address stays where no mail can confirm another one, and the way is named', async () => {
    const kim = await house.signedUp('kim@example.org')
    const change = { name: 'Kim', email: 'kim.b@example.org', password }
    expect(await kim.change('profile/change', change)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('onesixty user email-link') },
    })
    expect((await kim.change('email/send-link')).status).toBe(403)
    expect((await kim.change('profile/change', { name: 'Kim', email: 'kim@example.org' })).status).toBe(200)
    expect((await kim.read('profile/read')).body).toMatchObject({ name: 'Kim', email: 'kim@example.org' })
  })

  test('a new password ends the other sessions and keeps this one', async () => {
    const lea = await house.signedUp('lea@example.org')
    const other = newVisitor(house.url)
    await other.change('session/sign-in', { email: 'lea@example.org', password })
    const next = 'vier Hasen am Bahnhof'
    expect((await lea.change('profile/change-password', { password: next, next })).status).toBe(422)
    expect((await lea.change('profile/change-password', { password, next: 'Lea@example.org' })).status).toBe(
      422,
    )
    expect((await lea.change('profile/change-password', { password, next })).status).toBe(200)
    expect(await whoIs(lea)).toMatchObject({ user: { email: 'lea@example.org' } })
    expect(await whoIs(other)).toMatchObject({ user: null })
  })

  test('sessions are listed with address and browser, and others are ended', async () => {
    const max = await house.signedUp('max@example.org')
    const other = newVisitor(house.url)
    const given = { email: 'max@example.org', password }
    await other.change('session/sign-in', given, { 'user-agent': 'Phone', 'x-onesixty-address': '6.6.6.6' })
    const { sessions } = (await max.read('profile/read')).body as {
      sessions: { id: string; isThis: boolean; agent: string; address: string }[]
    }
    expect(sessions.filter(({ isThis }) => isThis)).toHaveLength(1)
    expect(sessions).toHaveLength(2)
    const foreign = sessions.find(({ isThis }) => !isThis)
    expect(foreign).toMatchObject({ agent: 'Phone', address: '127.0.0.1' })
    // Of somebody else: nothing is ended.
    expect((await house.ada.change('profile/end-session', { sessionId: foreign?.id })).body).toEqual({
      ended: 0,
    })
    expect((await max.change('profile/end-session', { sessionId: foreign?.id })).body).toEqual({ ended: 1 })
    expect(await whoIs(other)).toMatchObject({ user: null })
    await other.change('session/sign-in', given)
    expect((await max.change('profile/end-other-sessions')).body).toEqual({ ended: 1 })
    expect(await whoIs(max)).toMatchObject({ user: { email: 'max@example.org' } })
  })
})

import { randomBytes } from 'node:crypto'
import { hashPassword } from 'better-auth/crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { issueLink, type NewOneTimeLink } from '../../src/accounts/one-time-links.ts'
import { StorageError, type Tx } from '../../src/storage/dialect.ts'
import type { Writer } from '../../src/storage/writer.ts'
import { createIds } from '../../src/ids.ts'
import { startConsole, type TestConsole } from './start-console.ts'
import { newVisitor, totp, type Visitor } from './visitor.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole({ ONESIXTY_SIGNUPS_PER_HOUR: '0' })
})
afterAll(() => house.stop())

const ids = createIds({ now: Date.now })
const password = 'gelber Igel im Schnee'
const issue = (wanted: Partial<NewOneTimeLink>) =>
  house.app.storage.writer.write((tx) =>
    issueLink(tx, { ids, nowMs: Date.now(), randomBytes }, {
      lifeMs: 3_600_000,
      actor: 'test',
      ...wanted,
    } as NewOneTimeLink),
  )
const whoIs = async (visitor: Visitor) =>
  (await visitor.read('session/read')).body as {
    user: { email: string } | null
    accounts: { id: string; role: string }[]
  }

/** Somebody who has signed up. */
async function signedUp(email: string): Promise<Visitor & { accountId: string; testKey: string }> {
  const visitor = newVisitor(house.url)
  const { body } = await visitor.change('sign-up/open', { name: 'Eve', email, password })
  return { ...visitor, ...(body as { accountId: string; testKey: string }) }
}

describe('a set-up link', () => {
  test('lets the owner of a new account choose a password, once, and signs in', async () => {
    const { userId, accountId } = await house.openAccount('Cleo')
    const { token } = await issue({ purpose: 'set-up', userId })
    const visitor = newVisitor(house.url)
    expect((await visitor.change('link/look', { token })).body).toMatchObject({
      purpose: 'set-up',
      email: 'cleo@example.org',
      account: null,
    })
    const chosen = await visitor.change('link/choose-password', { token, password })
    expect(chosen).toMatchObject({ status: 200, body: { state: 'signed-in' } })
    expect(await whoIs(visitor)).toMatchObject({
      user: { email: 'cleo@example.org' },
      accounts: [{ id: accountId, role: 'owner' }],
    })
    const again = await newVisitor(house.url).change('link/choose-password', { token, password })
    expect(again).toMatchObject({ status: 410, body: { code: 'link_not_valid' } })
  })

  test('asks the first operator for an address', async () => {
    const { userId } = await house.openAccount('Operator')
    const { storage } = house.app
    await storage.writer.write(async (tx) => {
      await tx.updateTable('users').set({ email: 'operator@localhost' }).where('id', '=', userId).execute()
    })
    const { token } = await issue({ purpose: 'set-up', userId })
    const visitor = newVisitor(house.url)
    expect((await visitor.change('link/look', { token })).body).toMatchObject({ email: '' })
    for (const email of ['', 'boss', 'ada@example.org'])
      expect(await visitor.change('link/choose-password', { token, password, email })).toMatchObject({
        status: 422,
      })
    // Of a host without a dot, which browsers take.
    await visitor.change('link/choose-password', { token, password, email: 'Boss@intranet' })
    expect(await whoIs(visitor)).toMatchObject({ user: { email: 'boss@intranet' } })
    const later = newVisitor(house.url)
    expect((await later.change('session/sign-in', { email: 'boss@intranet', password })).status).toBe(200)
  })

  test('keeps its power when the password is refused', async () => {
    const { userId } = await house.openAccount('Dora')
    const { token } = await issue({ purpose: 'set-up', userId })
    const visitor = newVisitor(house.url)
    const short = await visitor.change('link/choose-password', { token, password: 'too short' })
    expect(short).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/password', code: 'too_short' }] },
    })
    expect((await visitor.change('link/choose-password', { token, password })).status).toBe(200)
  })
})

test('a password that an earlier version stored signs in, and lies under a hash of today from then on', async () => {
  const eve = await signedUp('eve-earlier@example.org')
  const { user } = (await whoIs(eve)) as unknown as { user: { id: string } }
  const { writer, read } = house.app.storage
  const stored = () =>
    read
      .selectFrom('auth_credentials')
      .select('password')
      .where('userId', '=', user.id)
      .executeTakeFirstOrThrow()
  expect(await stored()).toEqual({ password: expect.stringMatching(/^\$argon2id\$/) })
  const old = await hashPassword(password)
  await writer.write((tx) =>
    tx.updateTable('auth_credentials').set({ password: old }).where('userId', '=', user.id).execute(),
  )
  const signIn = (given: string) =>
    newVisitor(house.url).change('session/sign-in', { email: 'eve-earlier@example.org', password: given })
  expect((await signIn(`${password}!`)).status).toBe(401)
  expect(await stored()).toEqual({ password: old })
  for (const _ of [1, 2]) {
    expect((await signIn(password)).status).toBe(200)
    expect(await stored()).toEqual({ password: expect.stringMatching(/^\$argon2id\$/) })
  }
})

test('a hash that cannot be renewed keeps nobody out', async () => {
  const eve = await signedUp('eve-full@example.org')
  const { user } = (await whoIs(eve)) as unknown as { user: { id: string } }
  const { writer } = house.app.storage
  const stored = (tx: Tx) =>
    tx.selectFrom('auth_credentials').select('password').where('userId', '=', user.id).executeTakeFirst()
  const old = await hashPassword(password)
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
  const eve = await signedUp('eve-stays@example.org')
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

test('a reset link works for whoever has changed their address since', async () => {
  const eve = await signedUp('eve-before@example.org')
  const { user } = (await whoIs(eve)) as unknown as { user: { id: string } }
  const { token } = await issue({ purpose: 'reset', userId: user.id })
  const moved = { name: 'Eve', email: 'eve-after@example.org', password }
  expect((await eve.change('profile/change', moved)).status).toBe(200)
  const other = newVisitor(house.url)
  const next = 'vier Hasen am Bahnhof'
  expect((await other.change('link/choose-password', { token, password: next })).status).toBe(200)
  expect(await whoIs(other)).toMatchObject({ user: { email: 'eve-after@example.org' } })
})

test('a reset link ends every session and the old password, and takes the second factor from nobody', async () => {
  const eve = await signedUp('eve-reset@example.org')
  const { user } = (await whoIs(eve)) as unknown as { user: { id: string } }
  const { token } = await issue({ purpose: 'reset', userId: user.id })
  const other = newVisitor(house.url)
  const next = 'vier Hasen am Bahnhof'
  expect((await other.change('link/choose-password', { token, password: next })).status).toBe(200)
  expect(await whoIs(eve)).toMatchObject({ user: null })
  expect((await eve.change('session/sign-in', { email: 'eve-reset@example.org', password })).status).toBe(401)
  expect(
    (await eve.change('session/sign-in', { email: 'eve-reset@example.org', password: next })).status,
  ).toBe(200)
})

describe('signing up', () => {
  test('opens an account with 10 SMS, a key that works, and a session', async () => {
    const eve = await signedUp('eve@example.org')
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

describe('an invitation', () => {
  const invite = async (email: string, role = 'member') =>
    ((await house.ada.change('members/invite', { email, role })).body as { link: string }).link.split(
      '#',
    )[1] ?? ''

  test('lets a new person in, as what was said, and once', async () => {
    const token = await invite('gus@example.org')
    const visitor = newVisitor(house.url)
    expect((await visitor.change('link/look', { token })).body).toMatchObject({
      account: { id: house.ada.accountId, name: 'Ada' },
      role: 'member',
      isKnown: false,
    })
    const joined = await visitor.change('link/join', { token, name: 'Gus', password })
    expect(joined.body).toEqual({ state: 'signed-in', accountId: house.ada.accountId })
    expect(await whoIs(visitor)).toMatchObject({ accounts: [{ id: house.ada.accountId, role: 'member' }] })
    const denied = await visitor.change(`keys/create?account=${house.ada.accountId}&mode=live`, {})
    expect(denied).toMatchObject({ status: 403, body: { code: 'not_permitted' } })
    expect((await newVisitor(house.url).change('link/join', { token, name: 'Gus', password })).status).toBe(
      410,
    )
  })

  test('is accepted by who is signed in, and gives no password to who is known', async () => {
    const { userId } = await house.openAccount('Hal')
    const token = await invite('hal@example.org', 'owner')
    const visitor = newVisitor(house.url)
    expect((await visitor.change('link/look', { token })).body).toMatchObject({ isKnown: true })
    // Whoever invites can read the link: it must not open an account that is not theirs.
    expect((await visitor.change('link/join', { token, name: 'Hal', password })).status).toBe(422)
    expect((await visitor.change('link/choose-password', { token, password })).status).toBe(410)
    expect((await visitor.change('link/accept', { token })).status).toBe(401)
    const setUp = await issue({ purpose: 'set-up', userId })
    await visitor.change('link/choose-password', { token: setUp.token, password })
    expect((await visitor.change('link/accept', { token })).body).toEqual({ accountId: house.ada.accountId })
    expect((await whoIs(visitor)).accounts).toContainEqual(
      expect.objectContaining({ id: house.ada.accountId, role: 'owner' }),
    )
  })

  test('to no account opens one of the person’s own', async () => {
    const { token } = await issue({
      purpose: 'invitation',
      email: 'ida@example.org',
      accountId: null,
      role: null,
    })
    const visitor = newVisitor(house.url)
    await visitor.change('link/join', { token, name: 'Ida Ltd', password })
    expect(await whoIs(visitor)).toMatchObject({ accounts: [{ name: 'Ida Ltd', role: 'owner' }] })
  })

  test('is listed and taken back by owners', async () => {
    const token = await invite('jan@example.org')
    const { invitations } = (await house.ada.read('members/list')).body as {
      invitations: { id: string; email: string }[]
    }
    const linkId = invitations.find(({ email }) => email === 'jan@example.org')?.id
    expect((await house.bob.change('members/revoke-invitation', { linkId })).status).toBe(404)
    expect((await house.ada.change('members/revoke-invitation', { linkId })).body).toEqual({ revoked: true })
    expect((await newVisitor(house.url).change('link/look', { token })).status).toBe(410)
  })
})

test('the only owner cannot leave', async () => {
  const left = await house.bob.change('members/leave')
  expect(left).toMatchObject({ status: 422, body: { detail: expect.stringContaining('only owner') } })
})

describe('the own profile', () => {
  test('the address moves with the password alone, and is what one signs in with from then on', async () => {
    const kim = await signedUp('kim@example.org')
    const change = { name: 'Kim B', email: 'kim.b@example.org' }
    expect((await kim.change('profile/change', change)).status).toBe(422)
    expect((await kim.change('profile/change', { ...change, password: `${password}!` })).status).toBe(422)
    expect((await kim.change('profile/change', { ...change, password })).status).toBe(200)
    expect((await kim.change('profile/change', { ...change, name: 'Kim' })).status).toBe(200)
    const later = newVisitor(house.url)
    expect((await later.change('session/sign-in', { email: 'kim@example.org', password })).status).toBe(401)
    expect((await later.change('session/sign-in', { email: 'kim.b@example.org', password })).status).toBe(200)
  })

  test('a new password ends the other sessions and keeps this one', async () => {
    const lea = await signedUp('lea@example.org')
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
    const max = await signedUp('max@example.org')
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

describe('the second factor', () => {
  async function withSecondFactor(email: string) {
    const visitor = await signedUp(email)
    const begun = (await visitor.change('second-factor/begin', { password })).body as {
      secret: string
      qr: { size: number; path: string }
      recoveryCodes: string[]
    }
    const confirmed = await visitor.change('second-factor/confirm', { code: totp(begun.secret) })
    expect(confirmed.status).toBe(200)
    return { visitor, ...begun }
  }

  test('is asked for from the first code on, and the password alone opens nothing', async () => {
    const email = 'nia@example.org'
    const { visitor, secret, qr } = await withSecondFactor(email)
    expect(qr.size).toBeGreaterThan(20)
    expect((await visitor.read('profile/read')).body).toMatchObject({ hasSecondFactor: true })
    const later = newVisitor(house.url)
    expect((await later.change('session/sign-in', { email, password })).body).toEqual({
      state: 'code-needed',
    })
    expect(await whoIs(later)).toMatchObject({ user: null })
    expect((await later.change('session/give-code', { code: '000000' })).status).toBe(401)
    expect((await later.change('session/give-code', { code: totp(secret) })).body).toEqual({
      state: 'signed-in',
    })
    expect(await whoIs(later)).toMatchObject({ user: { email } })
    expect((await newVisitor(house.url).change('session/give-code', { code: totp(secret) })).status).toBe(401)
  })

  test('is replaced by each recovery code once, and removed with the password', async () => {
    const email = 'oda@example.org'
    const { visitor, recoveryCodes } = await withSecondFactor(email)
    const give = async (code: string) => {
      const later = newVisitor(house.url)
      await later.change('session/sign-in', { email, password })
      return (await later.change('session/give-code', { code })).status
    }
    const [first = '', second = ''] = recoveryCodes
    expect([await give(first), await give(first), await give(second)]).toEqual([200, 401, 200])
    const renewed = (await visitor.change('second-factor/renew-codes', { password })).body as {
      recoveryCodes: string[]
    }
    expect(await give(recoveryCodes[2] ?? '')).toBe(401)
    expect(await give(renewed.recoveryCodes[0] ?? '')).toBe(200)
    expect((await visitor.change('second-factor/remove', { password: 'another one!' })).status).toBe(422)
    expect((await visitor.change('second-factor/remove', { password })).status).toBe(200)
    const later = newVisitor(house.url)
    expect((await later.change('session/sign-in', { email, password })).body).toEqual({ state: 'signed-in' })
  })

  test('outlives a reset of the password', async () => {
    const email = 'pia@example.org'
    const { visitor, secret } = await withSecondFactor(email)
    const { user } = (await whoIs(visitor)) as unknown as { user: { id: string } }
    const { token } = await issue({ purpose: 'reset', userId: user.id })
    const later = newVisitor(house.url)
    const next = { token, password: 'vier Hasen am Bahnhof' }
    expect((await later.change('link/choose-password', next)).body).toEqual({
      state: 'code-needed',
      passkeys: 0,
    })
    expect(await whoIs(later)).toMatchObject({ user: null })
    expect((await later.change('session/give-code', { code: totp(secret) })).status).toBe(200)
  })
})

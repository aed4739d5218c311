import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newVisitor } from './visitor.ts'
import { type IdentityHouse, openIdentityHouse, password, whoIs } from './identity-house.ts'

let house: IdentityHouse
beforeAll(async () => {
  house = await openIdentityHouse()
})
afterAll(() => house.stop())

describe('a set-up link', () => {
  test('lets the owner of a new account choose a password, once, and signs in', async () => {
    const { userId, accountId } = await house.openAccount('Cleo')
    const { token } = await house.issue({ purpose: 'set-up', userId })
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
    const { token } = await house.issue({ purpose: 'set-up', userId })
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
    const { token } = await house.issue({ purpose: 'set-up', userId })
    const visitor = newVisitor(house.url)
    const short = await visitor.change('link/choose-password', { token, password: 'too short' })
    expect(short).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/password', code: 'too_short' }] },
    })
    expect((await visitor.change('link/choose-password', { token, password })).status).toBe(200)
  })
})

test('a reset link ends with the password that it was to replace', async () => {
  const eve = await house.signedUp('eve-chooses@example.org')
  const { user } = (await whoIs(eve)) as unknown as { user: { id: string } }
  const { token } = await house.issue({ purpose: 'reset', userId: user.id })
  const next = 'vier Hasen am Bahnhof'
  expect((await eve.change('profile/change-password', { password, next })).status).toBe(200)
  const other = newVisitor(house.url)
  expect(await other.change('link/choose-password', { token, password })).toMatchObject({
    status: 410,
    body: { code: 'link_not_valid' },
  })
})

test('a link for a password that went to a former address opens nothing, and proves nothing of the new one', async () => {
  const { storage } = house.app
  const { userId } = await house.openAccount('Uma')
  const { token } = await house.issue({ purpose: 'set-up', userId })
  const move = (email: string) =>
    storage.writer.write((tx) => tx.updateTable('users').set({ email }).where('id', '=', userId).execute())
  // As versions did that left the link open.
  await move('someone.else@example.org')
  const used = await newVisitor(house.url).change('link/choose-password', { token, password })
  expect(used).toMatchObject({ status: 410, body: { code: 'link_not_valid' } })
  const users = storage.read.selectFrom('users').select('email_proven_at').where('id', '=', userId)
  expect(await users.executeTakeFirst()).toEqual({ email_proven_at: null })
  await move('uma@example.org')
  expect((await newVisitor(house.url).change('link/choose-password', { token, password })).status).toBe(200)
})

test('a reset link ends every session and the old password, and takes the second factor from nobody', async () => {
  const eve = await house.signedUp('eve-reset@example.org')
  const { user } = (await whoIs(eve)) as unknown as { user: { id: string } }
  const { token } = await house.issue({ purpose: 'reset', userId: user.id })
  const other = newVisitor(house.url)
  const next = 'vier Hasen am Bahnhof'
  expect((await other.change('link/choose-password', { token, password: next })).status).toBe(200)
  expect(await whoIs(eve)).toMatchObject({ user: null })
  expect((await eve.change('session/sign-in', { email: 'eve-reset@example.org', password })).status).toBe(401)
  expect(
    (await eve.change('session/sign-in', { email: 'eve-reset@example.org', password: next })).status,
  ).toBe(200)
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
    const setUp = await house.issue({ purpose: 'set-up', userId })
    await visitor.change('link/choose-password', { token: setUp.token, password })
    expect((await visitor.change('link/accept', { token })).body).toEqual({ accountId: house.ada.accountId })
    expect((await whoIs(visitor)).accounts).toContainEqual(
      expect.objectContaining({ id: house.ada.accountId, role: 'owner' }),
    )
  })

  test('to no account opens one of the person’s own', async () => {
    const { token } = await house.issue({
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

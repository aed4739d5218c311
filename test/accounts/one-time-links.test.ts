import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  issueLink,
  listInvitations,
  type NewOneTimeLink,
  readLink,
  revokeInvitation,
  takeLink,
} from '../../src/accounts/people/one-time-links.ts'
import { type AccountsFixture, openAccountsFixture } from './accounts-fixture.ts'

let fixture: AccountsFixture
let accountId: string
let userId: string
beforeEach(async () => {
  fixture = await openAccountsFixture()
  ;({ accountId, userId } = await fixture.addAccount())
})
afterEach(() => fixture.close())

const hourMs = 3_600_000
const issue = (wanted: Partial<NewOneTimeLink> = {}) =>
  fixture.storage.writer.write((tx) =>
    issueLink(tx, fixture.deps(), {
      purpose: 'reset',
      userId,
      lifeMs: hourMs,
      actor: 'test',
      ...wanted,
    } as NewOneTimeLink),
  )
const invite = (email: string, to: string | null = accountId) =>
  issue({ purpose: 'invitation', email, accountId: to, role: to === null ? null : 'member' })
const take = (token: string) => fixture.storage.writer.write((tx) => takeLink(tx, fixture.deps(), { token }))
const look = (token: string) => readLink(fixture.storage.read, fixture.clock.now(), token)
const revoke = (linkId: string, of: string | null = accountId) =>
  fixture.storage.writer.write((tx) =>
    revokeInvitation(tx, fixture.deps(), { linkId, accountId: of, actor: 'test' }),
  )
const invitations = async (of: string | null = accountId) =>
  (await listInvitations(fixture.storage.read, { accountId: of, nowMs: fixture.clock.now(), limit: 10 })).map(
    ({ email }) => email,
  )

test('a link says whom it is for, as often as it is read, and works once', async () => {
  const { token, link } = await issue()
  expect(link).toMatchObject({ purpose: 'reset', userId, email: 'ada@example.org', accountId: null })
  expect(await look(token)).toEqual(link)
  expect(await look(token)).toEqual(link)
  expect(await take(token)).toEqual(link)
  await expect(take(token)).rejects.toMatchObject({
    code: 'link_not_valid',
    extra: { detail: expect.stringContaining('already used') },
  })
  await expect(look(token)).rejects.toMatchObject({ code: 'link_not_valid' })
  expect(await fixture.audited()).toEqual(['account.created', 'reset_link.issued', 'reset_link.used'])
})

test('of two who take one link at once, one is refused', async () => {
  const { token } = await issue()
  const outcomes = await Promise.allSettled([take(token), take(token)])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a link works until its last millisecond and not at its end', async () => {
  const { token } = await issue()
  fixture.clock.jumpWallClock(hourMs - 1)
  await expect(look(token)).resolves.toMatchObject({ userId })
  fixture.clock.jumpWallClock(1)
  await expect(take(token)).rejects.toMatchObject({
    code: 'link_not_valid',
    extra: { detail: expect.stringContaining('This link has expired') },
  })
})

test('the token is stored nowhere, and is no shorter than 256 bits', async () => {
  const { token } = await issue()
  expect(token).toMatch(/^[\w-]{43}$/)
  const { read } = fixture.storage
  const stored = JSON.stringify([
    await read.selectFrom('one_time_links').selectAll().execute(),
    await read.selectFrom('audit_log').selectAll().execute(),
  ])
  expect(stored).toContain('reset_link.issued')
  expect(stored).not.toContain(token)
})

test('a link that nobody made is refused', async () => {
  await expect(look('')).rejects.toMatchObject({ code: 'link_not_valid' })
  await expect(take('A'.repeat(43))).rejects.toMatchObject({ code: 'link_not_valid' })
})

test('a newer link for a password ends the one before it, and an invitation of the same address too', async () => {
  const first = await issue({ purpose: 'set-up' })
  const second = await issue()
  await expect(look(first.token)).rejects.toMatchObject({
    extra: { detail: expect.stringContaining('replaced') },
  })
  await expect(look(second.token)).resolves.toMatchObject({ purpose: 'reset' })
  const old = await invite('bob@example.org')
  const other = await invite('eve@example.org')
  const own = await invite('bob@example.org', null)
  const anew = await invite(' BOB@example.org ')
  await expect(look(old.token)).rejects.toMatchObject({ code: 'link_not_valid' })
  for (const { token } of [other, own, anew, second]) await expect(look(token)).resolves.toBeDefined()
  expect(await invitations()).toEqual(['bob@example.org', 'eve@example.org'])
  expect(await invitations(null)).toEqual(['bob@example.org'])
})

test('an invitation is taken back by those of its account, and by nobody else', async () => {
  const { token, link } = await invite('bob@example.org')
  const { accountId: foreign } = await fixture.addAccount({ email: 'eve@example.org' })
  await expect(revoke(link.id, foreign)).rejects.toMatchObject({ code: 'not_found' })
  await expect(revoke(link.id, null)).rejects.toMatchObject({ code: 'not_found' })
  expect(await revoke(link.id)).toBe(true)
  expect(await revoke(link.id)).toBe(false)
  await expect(take(token)).rejects.toMatchObject({ code: 'link_not_valid' })
  expect(await invitations()).toEqual([])
  const { link: reset } = await issue()
  await expect(revoke(reset.id, null)).rejects.toMatchObject({ code: 'not_found' })
})

test('links for nobody and for addresses that are none are refused', async () => {
  await expect(issue({ userId: 'usr_0' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(invite('bob')).rejects.toMatchObject({ code: 'validation_failed' })
})

test('links that ended a month ago are forgotten when a new one is made', async () => {
  const bob = await invite('bob@example.org')
  const count = async () =>
    (await fixture.storage.read.selectFrom('one_time_links').select('id').execute()).length
  fixture.clock.jumpWallClock(30 * 24 * hourMs)
  await issue()
  expect(await count()).toBe(2)
  fixture.clock.jumpWallClock(hourMs + 1)
  await issue()
  expect(await count()).toBe(2)
  await expect(look(bob.token)).rejects.toMatchObject({
    extra: { detail: expect.stringContaining('Unknown link') },
  })
})

import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  endEmailLinks,
  issueEmailLink,
  pendingEmail,
  readEmailLink,
  takeEmailLink,
} from '../../src/accounts/people/email-links.ts'
import { type AccountsFixture, openAccountsFixture } from './accounts-fixture.ts'

let fixture: AccountsFixture
let userId: string
beforeEach(async () => {
  fixture = await openAccountsFixture()
  ;({ userId } = await fixture.addAccount())
})
afterEach(() => fixture.close())

const lifeMs = 3_600_000
const issue = (email: string) =>
  fixture.storage.writer.write((tx) =>
    issueEmailLink(tx, { ...fixture.deps(), randomBytes }, { userId, email, lifeMs, actor: userId }),
  )
const pending = (of = userId) => pendingEmail(fixture.storage.read, of, fixture.clock.now())

test('a link is open for its time, and until another is asked for', async () => {
  expect(await pending()).toBe(null)
  const first = await issue('new@example.org')
  expect(first.expiresAt).toBe(fixture.clock.now() + lifeMs)
  expect(await pending()).toBe('new@example.org')
  expect(await pending('usr_other')).toBe(null)
  await issue('newer@example.org')
  expect(await pending()).toBe('newer@example.org')
  await fixture.clock.advance(lifeMs - 1)
  expect(await pending()).toBe('newer@example.org')
  await fixture.clock.advance(1)
  expect(await pending()).toBe(null)
})

test('one that was used, or revoked, is open no more, and only its own user opens it', async () => {
  const { token } = await issue('new@example.org')
  const read = (of: string) => readEmailLink(fixture.storage.read, fixture.clock.now(), { userId: of, token })
  expect(await read(userId)).toMatchObject({ email: 'new@example.org' })
  await expect(read('usr_other')).rejects.toThrow(/link/)
  const take = () =>
    fixture.storage.writer.write((tx) => takeEmailLink(tx, fixture.deps(), { userId, token }))
  expect(await take()).toMatchObject({ email: 'new@example.org' })
  expect(await pending()).toBe(null)
  await expect(take()).rejects.toThrow(/link/)
  await issue('newer@example.org')
  await fixture.storage.writer.write((tx) => endEmailLinks(tx, userId, fixture.clock.now()))
  expect(await pending()).toBe(null)
})

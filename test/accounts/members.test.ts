import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  addMember,
  changeRole,
  listMembers,
  removeMember,
  type Role,
} from '../../src/accounts/people/members.ts'
import { issueLink, listInvitations, readLink } from '../../src/accounts/people/one-time-links.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { type AccountsFixture, openAccountsFixture } from './accounts-fixture.ts'

let fixture: AccountsFixture
let accountId: string
let ada: string
let bob: string
beforeEach(async () => {
  fixture = await openAccountsFixture()
  ;({ accountId, userId: ada } = await fixture.addAccount())
  ;({ userId: bob } = await fixture.addAccount({ name: 'Bob', email: 'bob@example.org' }))
})
afterEach(() => fixture.close())

const write = <T>(unit: (tx: Tx) => Promise<T>) => fixture.storage.writer.write(unit)
const add = (userId: string, role: Role) =>
  write((tx) => addMember(tx, fixture.deps(), { accountId, userId, role, actor: 'test' }))
const turn = (userId: string, role: Role) =>
  write((tx) => changeRole(tx, fixture.deps(), { accountId, userId, role, actor: 'test' }))
const remove = (userId: string) =>
  write((tx) => removeMember(tx, fixture.deps(), { accountId, userId, actor: 'test' }))
const people = async () =>
  (await listMembers(fixture.storage.read, { accountId, limit: 10 })).map(({ email, role }) => [email, role])

const lastOwner = { code: 'validation_failed', extra: { detail: expect.stringContaining('only owner') } }

test('owners stand first, and an invitation makes nobody less than they are', async () => {
  await add(bob, 'member')
  expect(await people()).toEqual([
    ['ada@example.org', 'owner'],
    ['bob@example.org', 'member'],
  ])
  await add(bob, 'owner')
  await add(ada, 'member')
  expect((await people()).map(([, role]) => role)).toEqual(['owner', 'owner'])
})

test('the last owner can neither leave nor become a member', async () => {
  await add(bob, 'member')
  await expect(remove(ada)).rejects.toMatchObject(lastOwner)
  await expect(turn(ada, 'member')).rejects.toMatchObject(lastOwner)
  await turn(bob, 'owner')
  await turn(ada, 'member')
  await expect(remove(bob)).rejects.toMatchObject(lastOwner)
  await remove(ada)
  expect(await people()).toEqual([['bob@example.org', 'owner']])
})

test.for([
  ['becomes a member', (): Promise<void> => turn(bob, 'member')],
  ['is removed', (): Promise<void> => remove(bob)],
] as const)('what an owner has invited ends when they are one no more: who %s', async ([, happens]) => {
  await add(bob, 'owner')
  const deps = { ...fixture.deps(), randomBytes }
  const invite = (actor: string, email: string) =>
    write((tx) =>
      issueLink(tx, deps, { purpose: 'invitation', email, accountId, role: 'owner', lifeMs: 1_000, actor }),
    )
  const [byBob] = [await invite(bob, 'back@example.org'), await invite(ada, 'new@example.org')]
  await happens()
  const nowMs = fixture.clock.now()
  await expect(readLink(fixture.storage.read, nowMs, byBob.token)).rejects.toMatchObject({
    code: 'link_not_valid',
  })
  const left = await listInvitations(fixture.storage.read, { accountId, nowMs, limit: 10 })
  expect(left.map(({ email }) => email)).toEqual(['new@example.org'])
})

test('of two owners who leave at once one stays', async () => {
  await add(bob, 'owner')
  const outcomes = await Promise.allSettled([remove(ada), remove(bob)])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(await people()).toHaveLength(1)
})

test('who is not in the account is refused, and every change is audited once', async () => {
  await expect(remove(bob)).rejects.toMatchObject({ code: 'not_found' })
  await expect(turn(bob, 'owner')).rejects.toMatchObject({ code: 'not_found' })
  await add(bob, 'member')
  await add(bob, 'member')
  await turn(bob, 'owner')
  await remove(bob)
  expect((await fixture.audited()).filter((action) => action.startsWith('member.'))).toEqual([
    'member.added',
    'member.role_changed',
    'member.removed',
  ])
})

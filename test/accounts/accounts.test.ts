import { afterEach, beforeEach, expect, test } from 'vitest'
import { setAccountLimits, setAccountState } from '../../src/accounts/core/accounts.ts'
import { listAccounts } from '../../src/accounts/core/list-accounts.ts'
import type { AccountState } from '../../src/storage/tables/schema.ts'
import { type AccountsFixture, openAccountsFixture } from './accounts-fixture.ts'

let fixture: AccountsFixture
beforeEach(async () => {
  fixture = await openAccountsFixture()
})
afterEach(() => fixture.close())

const setState = (accountId: string, state: AccountState, cancelWaiting = async () => 0) =>
  fixture.storage.writer.write((tx) =>
    setAccountState(tx, { ...fixture.deps(), cancelWaiting }, { accountId, state, actor: 'test' }),
  )

test('a new account has its owner, ten free SMS, a thousand to play with, and ledger entries that say so', async () => {
  const { accountId, userId } = await fixture.addAccount({ name: '  Ada  ', email: ' Ada@Example.org ' })
  const { read } = fixture.storage
  expect(await read.selectFrom('accounts').select(['name', 'state']).execute()).toEqual([
    { name: 'Ada', state: 'active' },
  ])
  expect(await read.selectFrom('users').select(['id', 'email', 'is_operator']).execute()).toEqual([
    { id: userId, email: 'ada@example.org', is_operator: 0 },
  ])
  const wallets = await read
    .selectFrom('wallets')
    .select(['mode', 'granted', 'low_threshold', 'refilled_day'])
    .orderBy('mode')
    .execute()
  expect(wallets).toEqual([
    { mode: 'live', granted: 10, low_threshold: 5, refilled_day: null },
    { mode: 'test', granted: 1_000, low_threshold: 5, refilled_day: 20_778 },
  ])
  const entries = await read
    .selectFrom('ledger_entries')
    .select(['mode', 'kind', 'sms'])
    .where('account_id', '=', accountId)
    .execute()
  expect(entries).toEqual([
    { mode: 'live', kind: 'grant', sms: 10 },
    { mode: 'test', kind: 'refill', sms: 1_000 },
  ])
  expect(await fixture.audited()).toEqual(['account.created'])
  expect(await fixture.directoryVersion()).toBe(2)
})

test('an account goes to nobody for an address alone: whoever has claimed it is told, and has to be named', async () => {
  const { userId, accountId } = await fixture.addAccount()
  const again = { name: 'Second', email: 'ADA@example.org' }
  await expect(fixture.addAccount(again)).rejects.toMatchObject({
    code: 'validation_failed',
    message: expect.stringContaining(`Ada (${userId}), since 2026-11-21T`),
    extra: {
      errors: [{ pointer: '/email' }],
      known_user: { id: userId, name: 'Ada', accounts: [{ id: accountId, name: 'Ada', role: 'owner' }] },
    },
  })
  const other = (await fixture.addAccount({ name: 'Eve', email: 'eve@example.org' })).userId
  for (const wrong of [other, 'usr_nobody'])
    await expect(fixture.addAccount({ ...again, userId: wrong })).rejects.toThrow('is not')
  await expect(fixture.addAccount({ name: 'New', email: 'new@example.org', userId })).rejects.toThrow(
    'is not',
  )
  const { accounts } = await listAccounts(fixture.storage.read, { afterId: null, limit: 10 })
  expect(accounts).toHaveLength(2)
})

test('a user who is named owns the second account too', async () => {
  const first = await fixture.addAccount()
  const again = { name: 'Second', email: 'ADA@example.org', isOperator: true, userId: first.userId }
  const second = await fixture.addAccount(again)
  expect(second.userId).toBe(first.userId)
  const { accounts } = await listAccounts(fixture.storage.read, { afterId: null, limit: 10 })
  expect(accounts.map(({ name, emails }) => [name, emails])).toEqual([
    ['Ada', ['ada@example.org']],
    ['Second', ['ada@example.org']],
  ])
  expect(await fixture.storage.read.selectFrom('users').select('is_operator').execute()).toEqual([
    { is_operator: 1 },
  ])
})

test('refuses e-mail addresses that no browser would take, and stores nothing', async () => {
  const bad = [
    '',
    'ada',
    'ada@',
    '@example.org',
    'a b@example.org',
    'ada@exa mple.org',
    'ada@-example.org',
    `${'a'.repeat(250)}@example.org`,
  ]
  for (const email of [...bad, 'ada@example.org\nbcc: x@example.org', 'ada@example.org,eve@example.org']) {
    await expect(fixture.addAccount({ email })).rejects.toThrow('The e-mail address is not valid')
  }
  expect(await fixture.storage.read.selectFrom('accounts').select('id').execute()).toEqual([])
  expect(await fixture.storage.read.selectFrom('users').select('id').execute()).toEqual([])
})

test('refuses names that are empty, too long, or hold what nobody sees', async () => {
  await expect(fixture.addAccount({ name: '' })).rejects.toThrow('must not be empty')
  await expect(fixture.addAccount({ name: '   ' })).rejects.toThrow('must not be empty')
  await expect(fixture.addAccount({ name: 'x'.repeat(101) })).rejects.toThrow('at most 100 characters')
  await expect(fixture.addAccount({ name: 'bell\u0007' })).rejects.toThrow('control characters')
  await expect(fixture.addAccount({ name: '\ud800' })).rejects.toThrow('well-formed')
})

test('tells everything that is wrong at once', async () => {
  await expect(fixture.addAccount({ name: '', email: 'x' })).rejects.toMatchObject({
    code: 'validation_failed',
    extra: { errors: [{ pointer: '/name' }, { pointer: '/email' }] },
  })
})

test('suspends, reactivates, and closes for ever', async () => {
  const { accountId } = await fixture.addAccount()
  expect(await setState(accountId, 'suspended')).toEqual({ changed: true, canceled: 0 })
  expect(await setState(accountId, 'suspended')).toEqual({ changed: false, canceled: 0 })
  expect(await setState(accountId, 'active')).toEqual({ changed: true, canceled: 0 })
  expect(await setState(accountId, 'closed')).toEqual({ changed: true, canceled: 0 })
  await expect(setState(accountId, 'active')).rejects.toThrow('is closed and cannot become active')
  await expect(setState(accountId, 'suspended')).rejects.toThrow('is closed and cannot become suspended')
  expect(await fixture.audited()).toEqual([
    'account.created',
    'account.suspended',
    'account.reactivated',
    'account.closed',
  ])
  // Made, suspended, active, closed; what changed nothing moved nothing.
  expect(await fixture.directoryVersion()).toBe(5)
})

test('closing cancels what waits, and closing again goes on with it', async () => {
  const { accountId } = await fixture.addAccount()
  const asked: number[] = []
  const cancelWaiting = async (): Promise<number> => [500, 20, 0][asked.push(1) - 1] ?? 0
  expect(await setState(accountId, 'closed', cancelWaiting)).toEqual({ changed: true, canceled: 500 })
  expect(await setState(accountId, 'closed', cancelWaiting)).toEqual({ changed: false, canceled: 20 })
  expect(await setState(accountId, 'closed', cancelWaiting)).toEqual({ changed: false, canceled: 0 })
})

test('when cancelling fails the account stays open', async () => {
  const { accountId } = await fixture.addAccount()
  await expect(setState(accountId, 'closed', () => Promise.reject(new Error('disk')))).rejects.toThrow('disk')
  const { accounts } = await listAccounts(fixture.storage.read, { afterId: null, limit: 10 })
  expect(accounts[0]?.state).toBe('active')
})

test('sets the limits that are named and leaves the others', async () => {
  const { accountId } = await fixture.addAccount()
  const set = (limits: Parameters<typeof setAccountLimits>[2]['limits']) =>
    fixture.storage.writer.write((tx) =>
      setAccountLimits(tx, fixture.deps(), { accountId, limits, actor: 'test' }),
    )
  const none = { numberPerHour: null, prefixPerHour: null, pumpingNumbers: null }
  expect(await set({ sendPerMinute: 60, queueLimit: 0 })).toEqual({
    sendPerMinute: 60,
    readPerMinute: null,
    queueLimit: 0,
    ...none,
  })
  expect(await set({ readPerMinute: 5 })).toEqual({
    sendPerMinute: 60,
    readPerMinute: 5,
    queueLimit: 0,
    ...none,
  })
  expect(await set({ sendPerMinute: null, numberPerHour: 9, pumpingNumbers: 0 })).toEqual({
    sendPerMinute: null,
    readPerMinute: 5,
    queueLimit: 0,
    numberPerHour: 9,
    prefixPerHour: null,
    pumpingNumbers: 0,
  })
  await expect(set({ queueLimit: -1 })).rejects.toThrow('whole number')
  await expect(set({ queueLimit: 1.5 })).rejects.toThrow('whole number')
})

test('knows when there is no such account', async () => {
  await expect(setState('acc_none', 'suspended')).rejects.toMatchObject({
    code: 'not_found',
    message: 'Account acc_none not found.',
  })
})

test('lists page by page, in the order of creation, without gaps or repeats', async () => {
  for (let i = 0; i < 7; i++)
    await fixture.addAccount({ name: `Account ${i}`, email: `owner${i}@example.org` })
  const seen: string[] = []
  let afterId: string | null = null
  do {
    const page: Awaited<ReturnType<typeof listAccounts>> = await listAccounts(fixture.storage.read, {
      afterId,
      limit: 3,
    })
    expect(page.accounts.length).toBeLessThanOrEqual(3)
    seen.push(...page.accounts.map((account) => account.name))
    afterId = page.nextAfterId
  } while (afterId !== null)
  expect(seen).toEqual(Array.from({ length: 7 }, (_, i) => `Account ${i}`))
})

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMember } from '../../src/accounts/people/members.ts'
import { issueLink, readLink } from '../../src/accounts/people/one-time-links.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { type OperatorHouse, startOperatorHouse } from './operator-client.ts'

let house: OperatorHouse
beforeAll(async () => {
  house = await startOperatorHouse()
})
afterAll(() => house.stop())

const open = (name: string, key = `open-${name}`) =>
  house.post('/accounts', { name, email: `${name.toLowerCase()}@example.org` }, key)

test('an account is opened with its keys, which work at once, and a link for its owner', async () => {
  const { status, body } = await open('Ada')
  expect(status).toBe(201)
  expect(body.account).toMatchObject({
    object: 'account',
    name: 'Ada',
    state: 'active',
    emails: ['ada@example.org'],
    balance: { live: { available: 10 } },
  })
  expect(body.setup_link).toContain(house.url)
  const balance = await fetch(`${house.url}/api/v1/balance`, {
    headers: { authorization: `Bearer ${body.live_key}` },
  })
  expect(await balance.json()).toMatchObject({ account_id: body.account.id, available: 10 })
})

test('asked for again under the same key it is the same account, without the keys that were shown', async () => {
  const first = await open('Bob')
  const again = await open('Bob')
  expect(again.status).toBe(201)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(again.body).toMatchObject({
    account: first.body.account,
    user_id: first.body.user_id,
    live_key: null,
    test_key: null,
  })
  expect(await open('Eve', 'open-Bob')).toMatchObject({
    status: 422,
    body: { code: 'idempotency_key_reused' },
  })
  const many = await Promise.all(Array.from({ length: 8 }, () => open('Grace')))
  expect(new Set(many.map(({ body }) => body.account.id)).size).toBe(1)
  expect(many.filter(({ body }) => body.live_key !== null)).toHaveLength(1)
})

test('of a request from before it told its user the owner is named, and gets no link', async () => {
  const { body } = await open('Old')
  const forget = { user_id: null, is_new_user: null }
  await house.app.storage.writer.write((tx) =>
    tx.updateTable('operator_requests').set(forget).where('account_id', '=', body.account.id).execute(),
  )
  expect(await open('Old')).toMatchObject({ status: 201, body: { user_id: body.user_id, setup_link: null } })
})

const deps = () => ({ ids: createIds({ now: systemClock.now }), nowMs: systemClock.now(), randomBytes })

test('a user from before is given an account, but no program a link to become that user', async () => {
  const { writer, read } = house.app.storage
  for (const isOperator of [0, 1] as const) {
    const name = `Before${isOperator}`
    const { userId } = await house.openAccount(name)
    await writer.write((tx) =>
      tx.updateTable('users').set({ is_operator: isOperator }).where('id', '=', userId).execute(),
    )
    const link = { purpose: 'set-up', userId, lifeMs: 60_000, actor: 'test' } as const
    const { token } = await writer.write((tx) => issueLink(tx, deps(), link))
    const body = { name: 'Second', email: `${name.toLowerCase()}@example.org`, user_id: userId }
    for (const replayed of [null, 'true']) {
      const answer = await house.post('/accounts', body, `second-${name}`)
      expect(answer).toMatchObject({
        status: 201,
        body: { user_id: userId, setup_link: null, setup_link_expires_at: null },
      })
      expect(answer.headers.get('idempotent-replayed')).toBe(replayed)
    }
    expect(await readLink(read, systemClock.now(), token)).toMatchObject({ userId })
  }
})

test('a user who has another address is refused, by the name that the member has here', async () => {
  const { userId } = await house.openAccount('Known')
  const answer = await house.post(
    '/accounts',
    { name: 'Second', email: 'other@example.org', user_id: userId },
    'second-other',
  )
  expect(answer).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/user_id', code: 'not_in_enum' }] },
  })
  const claimed = await house.post(
    '/accounts',
    { name: 'Second', email: 'known@example.org' },
    'second-known',
  )
  expect(claimed).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/email' }], known_user: { id: userId } },
  })
  expect(claimed.body.detail).toContain(`user_id, on the command line --user: ${userId}`)
})

test('asked for again, the link is for whom the request has made, and opens nothing else', async () => {
  const { writer } = house.app.storage
  const early = await house.openAccount('Early')
  const join = (accountId: string, userId: string) =>
    writer.write((tx) => addMember(tx, deps(), { accountId, userId, role: 'owner', actor: 'test' }))
  const first = (await open('Late')).body
  await join(first.account.id, early.userId)
  const again = (await open('Late')).body
  expect(again.user_id).toBe(first.user_id)
  expect(again.setup_link).toContain(house.url)
  expect(again.setup_link).not.toBe(first.setup_link)
  await join(early.accountId, first.user_id)
  expect((await open('Late')).body).toMatchObject({ user_id: first.user_id, setup_link: null })

  const { user_id: raised } = (await open('Raised')).body
  await writer.write((tx) =>
    tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', raised).execute(),
  )
  expect((await open('Raised')).body).toMatchObject({ user_id: raised, setup_link: null })
})

test('without a key nothing is opened, nor for an address that somebody has', async () => {
  const body = { name: 'Zoe', email: 'zoe@example.org' }
  expect(await house.post('/accounts', body)).toMatchObject({
    status: 400,
    body: { code: 'invalid_header' },
  })
  await open('Yan')
  expect(await house.post('/accounts', { ...body, email: 'yan@example.org' }, 'yan-2')).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/email' }], known_user: { name: 'Yan' } },
  })
  expect(
    (await house.get('/accounts?limit=100')).body.data.map((row: { name: string }) => row.name),
  ).not.toContain('Zoe')
})

test('the plan of an account is set and removed, and is a word', async () => {
  const { account } = (await open('Planned')).body
  expect(account.plan).toBeNull()
  const set = (plan: unknown) => house.post(`/accounts/${account.id}/plan`, { plan })
  expect(await set('pro')).toMatchObject({ status: 200, body: { id: account.id, plan: 'pro' } })
  expect((await house.get(`/accounts/${account.id}`)).body.plan).toBe('pro')
  expect(await set(null)).toMatchObject({ status: 200, body: { plan: null } })
  for (const wrong of ['Pro', 'none', '', 1])
    expect(await set(wrong)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/plan' }] } })
  const audited = await house.app.storage.read
    .selectFrom('audit_log')
    .select('detail')
    .where('action', '=', 'account.plan')
    .orderBy('id')
    .execute()
  expect(audited.map(({ detail }) => JSON.parse(detail ?? ''))).toEqual([
    { from: null, plan: 'pro' },
    { from: 'pro', plan: null },
  ])
})

test('accounts are listed in pages without gaps and repeats', async () => {
  for (const name of ['P1', 'P2', 'P3']) await open(name)
  const all = (await house.get('/accounts?limit=100')).body
  expect(all).toMatchObject({ object: 'list', has_more: false, next_cursor: null })
  const paged: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: OperatorAnswerBody = (
      await house.get(`/accounts?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
    ).body
    paged.push(...page.data.map(({ id }) => id))
    cursor = page.next_cursor
  }
  expect(paged).toEqual(all.data.map(({ id }: { id: string }) => id))
  expect(paged.length).toBeGreaterThan(3)
})

interface OperatorAnswerBody {
  data: { id: string }[]
  next_cursor: string | null
}

test('an account is suspended, reactivated and closed, each said once in the audit log by the token', async () => {
  const { body } = await open('Sue')
  const { id } = body.account
  const become = (state: string) => house.post(`/accounts/${id}/state`, { state })
  const send = () => house.client.send(body.live_key, { to: '+4915112345678', text: 'x', dry_run: true })
  expect((await become('suspended')).body).toMatchObject({ id, state: 'suspended' })
  expect((await become('suspended')).status).toBe(200)
  await expect.poll(async () => (await send()).status).toBe(403)
  expect((await become('active')).body.state).toBe('active')
  expect((await become('closed')).body.state).toBe('closed')
  expect(await become('active')).toMatchObject({ status: 422, body: { errors: [{ pointer: '/state' }] } })
  expect((await house.get(`/accounts/${id}`)).body.state).toBe('closed')
  const log = await house.app.storage.read
    .selectFrom('audit_log')
    .select(['action', 'actor'])
    .where('account_id', '=', id)
    .orderBy('id')
    .execute()
  const changes = log.filter(({ action }) => /suspended|reactivated|closed|account.created/.test(action))
  expect(changes.map(({ action }) => action)).toEqual([
    'account.created',
    'account.suspended',
    'account.reactivated',
    'account.closed',
  ])
  expect(new Set(changes.map(({ actor }) => actor))).toEqual(new Set([house.tokens.write.id]))
})

test('an account that does not exist is 404, whatever is asked of it', async () => {
  const paths = ['', '/ledger', '/usage'].map((end) => `/accounts/acc_00000000000000000000000000${end}`)
  for (const path of [...paths, '/accounts/x', '/accounts/acc_0'])
    expect(await house.get(path), path).toMatchObject({ status: 404, body: { code: 'not_found' } })
  const nobody = '/accounts/acc_00000000000000000000000000'
  expect((await house.post(`${nobody}/state`, { state: 'closed' })).status).toBe(404)
  expect((await house.post(`${nobody}/grants`, { sms: 1, note: 'n' }, 'k')).status).toBe(404)
})

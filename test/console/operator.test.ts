import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { isPostgres } from '../test-database.ts'
import { issueLink } from '../../src/accounts/people/one-time-links.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { makeOperator } from '../e2e/signed-in.ts'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'
import { newVisitor } from './visitor.ts'

let house: TestConsole
let operator: ConsolePerson
beforeAll(async () => {
  house = await startConsole()
  operator = await house.newPerson('Olga')
  await makeOperator(house, operator.userId)
})
afterAll(() => house.stop())

interface Accounts {
  accounts: { id: string; name: string; state: string; emails: string[]; live: { available: number } }[]
  nextBeforeId: string | null
}
const find = async (words: string): Promise<Accounts['accounts']> =>
  ((await operator.read('operator/accounts', { words })).body as Accounts).accounts

test('accounts are found by name, address and id; signs of a pattern mean themselves', async () => {
  const { ada } = house
  for (const words of ['ada', 'ADA@EXAMPLE', ada.accountId])
    expect(
      (await find(words)).map(({ id }) => id),
      words,
    ).toEqual([ada.accountId])
  expect(await find('%')).toEqual([])
  expect((await find('')).length).toBe(3)
})

test('many accounts come page by page, each once', async () => {
  for (let i = 0; i < 55; i++) await house.openAccount(`Crowd${i}`)
  const first = (await operator.read('operator/accounts', { words: 'crowd' })).body as Accounts
  expect(first.accounts.length).toBe(50)
  const beforeId = first.nextBeforeId
  const second = (await operator.read('operator/accounts', { words: 'crowd', beforeId })).body as Accounts
  expect(second.nextBeforeId).toBeNull()
  const ids = [...first.accounts, ...second.accounts].map(({ id }) => id)
  expect(new Set(ids).size).toBe(55)
})

test('a grant that is clicked twice is granted once, and stands in the audit log', async () => {
  const { accountId } = house.ada
  const grant = { accountId, mode: 'live', kind: 'grant', sms: 90, note: 'Welcome', key: 'grant-0001' }
  const [first, second] = await Promise.all([1, 2].map(() => operator.change('operator/grant', grant)))
  expect(first?.body).toEqual(second?.body)
  expect((await find(accountId))[0]?.live.available).toBe(100)
  const other = await operator.change('operator/grant', { ...grant, sms: 91 })
  expect(other.body).toMatchObject({ code: 'idempotency_key_reused' })
  const { body } = await operator.read('operator/audit', { accountId, action: 'balance.granted' })
  const { lines } = body as { lines: { actor: string; detail: object }[] }
  expect(lines.length).toBe(1)
  expect(lines[0]).toMatchObject({ actor: `Olga (${operator.email})`, detail: { sms: 90, note: 'Welcome' } })
})

test('a correction takes back what is free and no more', async () => {
  const { accountId } = house.bob
  const correction = { accountId, mode: 'live', kind: 'correction', note: 'Too many', key: 'correct-01' }
  expect((await operator.change('operator/grant', { ...correction, sms: -11 })).status).toBe(422)
  expect((await operator.change('operator/grant', { ...correction, sms: -4 })).body).toMatchObject({
    available: 6,
  })
})

test('an account is suspended, reactivated, limited and closed for ever', async () => {
  const { accountId } = await house.openAccount('Shortlived')
  const move = (state: string) => operator.change('operator/state', { accountId, state })
  expect((await move('suspended')).status).toBe(200)
  expect((await find(accountId))[0]?.state).toBe('suspended')
  expect((await move('active')).status).toBe(200)
  const limits = await operator.change('operator/limits', { accountId, sendPerMinute: 5, queueLimit: null })
  expect(limits.body).toMatchObject({ sendPerMinute: 5, readPerMinute: null, queueLimit: null })
  const reach = { accountId, countries: ['DE', 'AT'], quietHours: { from: 1_260, until: 480 } }
  expect((await operator.change('operator/reach', reach)).body).toEqual({ countries: ['AT', 'DE'] })
  expect((await find(accountId))[0]).toMatchObject({
    sendPerMinute: 5,
    countries: ['AT', 'DE'],
    quietHours: { from: 1_260, until: 480 },
  })
  const open = { accountId, countries: null, quietHours: null }
  expect((await operator.change('operator/reach', open)).body).toEqual({ countries: null })
  expect((await operator.change('operator/reach', { ...reach, countries: ['XX'] })).status).toBe(422)
  expect(
    (await operator.change('operator/reach', { ...reach, quietHours: { from: 5, until: 5 } })).status,
  ).toBe(422)
  expect((await find(accountId))[0]).toMatchObject({ countries: null, quietHours: null })
  expect((await operator.change('operator/own-devices', { accountId, price: 'free' })).body).toEqual({
    price: 'free',
  })
  expect((await find(accountId))[0]).toMatchObject({ ownDevices: 'free' })
  expect((await operator.change('operator/own-devices', { accountId, price: 'cheap' })).status).toBe(422)
  expect((await operator.change('operator/plan', { accountId, plan: 'pro' })).body).toEqual({ plan: 'pro' })
  expect((await find(accountId))[0]).toMatchObject({ plan: 'pro' })
  expect(await operator.change('operator/plan', { accountId, plan: 'none' })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/plan', code: 'invalid_format' }] },
  })
  await operator.change('operator/plan', { accountId, plan: null })
  expect((await find(accountId))[0]).toMatchObject({ plan: null })
  expect((await move('closed')).body).toEqual({ changed: true, canceled: 0 })
  expect((await move('active')).status).toBe(422)
})

test('closing an account asks shared phones for what they hold of it', async () => {
  const { accountId, liveKey } = await house.openAccount('Phoned')
  const invited = await operator.change('devices/invite-phone', { isShared: true })
  const phone = async (method: string, path: string, token: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${house.url}/mobile/v1/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(answer.status, path).toBeLessThan(300)
    return answer.json()
  }
  const made = await phone('POST', 'device', (invited.body as { token: string }).token, {
    name: 'samsung/a12',
  })
  const { token } = made as { token: string }
  expect((await house.client.send(liveKey, { to: '+4915112345678', text: 'Hello' })).status).toBe(202)
  await eventually(
    () => phone('GET', 'message', token),
    (given) => expect(given).toMatchObject([{ textMessage: { text: 'Hello' } }]),
  )
  expect((await operator.change('operator/state', { accountId, state: 'closed' })).status).toBe(200)
  const offers = house.app.storage.read.selectFrom('phone_offers').select('recall')
  expect(await offers.where('account_id', '=', accountId).execute()).toEqual([{ recall: 'move' }])
})

test('the health of the instance is measured, not made up', async () => {
  const { body } = await operator.read('operator/health')
  const health = body as {
    memoryBytes: number
    flush: { p50Ms: number }
    database: Record<string, number | null>
    queue: object
  }
  expect(health.memoryBytes).toBeGreaterThan(30_000_000)
  expect(health.flush.p50Ms).toBeGreaterThan(0)
  const { databaseBytes, walBytes, diskFreeBytes } = health.database
  expect((databaseBytes ?? 0) + (walBytes ?? 0)).toBeGreaterThan(100_000)
  // The disk of a PostgreSQL server is not ours to look at.
  expect(diskFreeBytes === null).toBe(isPostgres)
  expect(health.queue).toEqual({ messages: 0, parts: 0, oldestDueAt: null })
})

test('the operator opens every account, others only their own', async () => {
  const elsewhere = { accountId: house.ada.accountId }
  expect((await operator.read('keys/list', {}, elsewhere)).status).toBe(200)
  expect((await house.bob.read('keys/list', {}, elsewhere)).status).toBe(404)
})

test('an account for an address that somebody has claimed is refused until the operator names them', async () => {
  const { email, userId, accountId } = house.bob
  const asked = { name: 'Another', email }
  const refused = await operator.change('operator/open-account', asked)
  expect(refused).toMatchObject({
    status: 422,
    body: { known_user: { id: userId, name: 'Bob', accounts: [{ id: accountId }] } },
  })
  const made = await operator.change('operator/open-account', { ...asked, userId })
  expect(made).toMatchObject({ status: 200, body: { link: null } })
  expect((await find('Another'))[0]).toMatchObject({ emails: [email] })
})

test('a new account comes with a link for its owner, and a lost password with another', async () => {
  const made = await operator.change('operator/open-account', { name: 'Newcomer', email: 'new@example.org' })
  const { accountId, link } = made.body as { accountId: string; link: string }
  expect((await find('new@example.org'))[0]).toMatchObject({ id: accountId, live: { available: 10 } })
  expect(link).toMatch(new RegExp(`^${house.url}/link#\\S{20,}$`))
  const reset = await operator.change('operator/reset-link', { email: house.ada.email })
  expect((reset.body as { link: string }).link).toContain('/link#')
  expect((await operator.change('operator/reset-link', { email: 'nobody@example.org' })).status).toBe(404)
  expect((await operator.change('operator/open-account', { name: '', email: 'no' })).status).toBe(422)
})

test('an invitation opens an account, is listed until then, is taken back by the operator, and not made where sign-up is closed', async () => {
  const invite = async (email: string) =>
    ((await operator.change('operator/invite', { email })).body as { link: string }).link.split('#')[1]
  const listed = async () =>
    ((await operator.read('operator/invitations')).body as { invitations: { id: string; email: string }[] })
      .invitations
  const [token, other] = [await invite('gus@example.org'), await invite('hal@example.org')]
  expect((await listed()).map(({ email }) => email)).toEqual(['hal@example.org', 'gus@example.org'])
  const linkId = (await listed())[0]?.id
  expect((await operator.change('operator/revoke-invitation', { linkId })).body).toEqual({ revoked: true })
  const joinWith = (link: string | undefined, name: string) =>
    newVisitor(house.url).change('link/join', { token: link, name, password: 'gelber Igel im Schnee' })
  expect((await joinWith(other, 'Hal')).status).toBe(410)
  expect((await joinWith(token, 'Gus Ltd')).status).toBe(200)
  expect((await find('gus'))[0]).toMatchObject({ name: 'Gus Ltd', live: { available: 10 } })
  expect(await listed()).toEqual([])

  const closed = await startConsole({ ONESIXTY_SIGNUP: 'closed' })
  await makeOperator(closed, closed.ada.userId)
  expect((await closed.ada.change('operator/invite', { email: 'jan@example.org' })).body).toMatchObject({
    code: 'sign_up_closed',
    detail: expect.stringContaining('ONESIXTY_SIGNUP is `closed`'),
  })
  // Nor does one that was made before it was closed let anybody in.
  const { token: older } = await closed.app.storage.writer.write((tx) =>
    issueLink(
      tx,
      { ids: createIds({ now: Date.now }), nowMs: Date.now(), randomBytes },
      { purpose: 'invitation', email: 'ida@example.org', accountId: null, role: null, lifeMs: 60_000, actor: 'test' },
    ),
  ) // prettier-ignore
  const person = { token: older, name: 'Ida', password: 'gelber Igel im Schnee' }
  expect(await newVisitor(closed.url).change('link/join', person)).toMatchObject({
    status: 403,
    body: { code: 'sign_up_closed' },
  })
  await closed.stop()
})

import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setCountries } from '../../src/accounts/core/account-guard.ts'
import { setAccountLimits } from '../../src/accounts/core/accounts.ts'
import { busiestWindow } from '../../src/sending/planned-rate.ts'
import { readConfig } from '../../src/config.ts'
import { pauseForPumping } from '../../src/messages/account-state/pause-for-pumping.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openAccount } from '../../src/app/open-account.ts'
import { startTestApi, type TestAnswer, type TestApi } from './start-test-api.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

const paused: unknown[] = []
let api: TestApi
beforeAll(async () => {
  api = await startTestApi({
    config: { sendPerMinute: 0, freeSms: 1_000, pumpingNumbers: 5, pumpingMessages: 9 },
    ports: { pauseForPumping: async (...asked) => void paused.push(asked) },
  })
})
afterAll(() => api.close())

const to = '+4915112345678'
const hourMs = 3_600_000
const told = ({ body }: TestAnswer) => [
  body.status ?? 202,
  body.code ?? 'accepted',
  ...(body.errors ?? []).map((fault: { pointer: string; code: string }) => `${fault.pointer} ${fault.code}`),
]
const live = (body: object) => api.send({ text: 'x', ...body }, { key: api.account.liveKey })
const deps = () => ({ ids: api.ids, nowMs: api.clock.now() })
/** What a key may do is remembered for 5 s. */
const change = async (write: Parameters<typeof api.storage.writer.write>[0]) => {
  await api.storage.writer.write(write)
  await api.clock.advance(6_000)
}
const allow = (countries: string[] | null) =>
  change((tx) => setCountries(tx, deps(), { accountId: api.account.accountId, countries, actor: 'test' }))
const limit = (limits: object) =>
  change((tx) => setAccountLimits(tx, deps(), { accountId: api.account.accountId, limits, actor: 'test' }))

test('an account writes to the countries that it may write to; test numbers are of none', async () => {
  await allow(['AT', 'DE'])
  expect(
    told(await live({ to: ['+4915112345678', '+33612345678', '+436641234567', '+88213300655'] })),
  ).toEqual([422, 'recipients_rejected', '/to/1 destination_not_allowed', '/to/3 destination_not_allowed'])
  expect(told(await live({ to }))).toEqual([202, 'accepted'])
  expect(told(await api.send({ to: ['+15005550006', '+15005550002'], text: 'x' }))).toEqual([202, 'accepted'])
  await allow([])
  expect(told(await live({ to }))).toEqual([422, 'recipients_rejected', '/to destination_not_allowed'])
  await allow(null)
  expect(told(await live({ to: '+33612345678' }))).toEqual([202, 'accepted'])
})

test('a country that there is not is refused', async () => {
  await expect(allow(['DE', 'XX'])).rejects.toThrow('XX')
})

test('by a setting new accounts begin with the countries that it names', async () => {
  const countriesOf = async (setting: string) => {
    const config = readConfig({ ONESIXTY_NEW_ACCOUNT_COUNTRIES: setting })
    const opening = { ids: api.ids, nowMs: api.clock.now(), randomBytes, config }
    const { accountId } = await api.storage.writer.write((tx) =>
      openAccount(tx, opening, {
        name: 'New',
        email: `new${setting.length}${setting.charCodeAt(0)}@example.org`,
        actor: 'test',
      }),
    )
    const row = api.storage.read.selectFrom('accounts').select('countries').where('id', '=', accountId)
    return (await row.executeTakeFirstOrThrow()).countries
  }
  expect([await countriesOf('all'), await countriesOf('none'), await countriesOf('DE,AT')]).toEqual([
    null,
    '',
    'DE,AT',
  ])
  expect(() => readConfig({ ONESIXTY_NEW_ACCOUNT_COUNTRIES: 'Germany' })).toThrow('codes of countries')
})

test('the spellings of one number share its limits, of now, of later and of its neighbours', async () => {
  await limit({ numberPerHour: 2, prefixPerHour: 3 })
  const refusedCode = [429, 'recipient_rate_limited', '/to recipient_rate_limited']
  const [former, present] = ['+541123450001', '+5491123450001']
  for (const each of [former, present]) expect(told(await live({ to: each }))).toEqual([202, 'accepted'])
  for (const each of [former, present]) expect(told(await live({ to: each }))).toEqual(refusedCode)
  expect(told(await live({ to: '+541123450002' }))).toEqual([202, 'accepted'])
  expect(told(await live({ to: '+5491123450003' }))).toEqual(refusedCode)
  const send_at = new Date(api.clock.now() + 30 * hourMs).toISOString()
  for (const each of [former, present]) expect(told(await live({ to: each, send_at }))).toEqual([202, 'accepted'])
  for (const each of [former, present]) expect(told(await live({ to: each, send_at }))).toEqual(refusedCode)
  expect(told(await live({ to: '+541123450002', send_at }))).toEqual([202, 'accepted'])
  expect(told(await live({ to: '+5491123450003', send_at }))).toEqual(refusedCode)
  await api.clock.advance(2 * hourMs)
}) // prettier-ignore

test('one number, and neighbours together, get so many messages in an hour, and then again', async () => {
  await limit({ numberPerHour: 2, prefixPerHour: 3 })
  const number = (end: number) => `+491517654${String(end).padStart(4, '0')}`
  expect(told(await live({ to: [number(1), number(2)] }))).toEqual([202, 'accepted'])
  expect(told(await live({ to: number(1) }))).toEqual([202, 'accepted'])
  const refused = await live({ to: [number(1), '+436641234567', number(3)] })
  expect(told(refused)).toEqual([
    429,
    'recipient_rate_limited',
    '/to/0 recipient_rate_limited',
    '/to/2 recipient_rate_limited',
  ])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500)
  // What was refused was not counted, and a dry run counts for nothing.
  for (let i = 0; i < 4; i++) expect((await live({ to: '+436641234567', dry_run: true })).status).toBe(200)
  for (let i = 0; i < 2; i++) expect(told(await live({ to: '+436641234567' }))).toEqual([202, 'accepted'])
  await api.clock.advance(2 * hourMs)
  expect(told(await live({ to: number(1) }))).toEqual([202, 'accepted'])
  await limit({ numberPerHour: null, prefixPerHour: null })
})

test('codes to many neighbours suspend the account at once, and that send is refused', async () => {
  const code = (end: number) =>
    live({ to: `+4915177771${String(end).padStart(3, '0')}`, category: 'authentication' })
  for (let i = 1; i <= 5; i++) expect(told(await code(i))).toEqual([202, 'accepted'])
  expect(told(await code(6))).toEqual([403, 'account_suspended'])
  expect(paused).toEqual([[api.account.accountId, { prefix: '+4915177771', numbers: 6, all: 6 }]])
})

test('what was not stored is no sign of pumping: refusals, repetitions and dry runs', async () => {
  paused.length = 0
  await api.clock.advance(3 * hourMs)
  const bodyOf = (end: number) => ({
    to: `+4915177772${String(end).padStart(3, '0')}`,
    category: 'authentication',
  })
  const code = (end: number, more: object = {}) => live({ ...bodyOf(end), ...more })
  const keyed = (end: number) =>
    api.send(
      { ...bodyOf(end), text: 'x' },
      { key: api.account.liveKey, headers: { 'idempotency-key': `code-${end}` } },
    )
  for (let i = 0; i < 4; i++) expect(told(await keyed(i))).toEqual([202, 'accepted'])
  await api.clock.advance(3 * hourMs)
  for (let i = 0; i < 4; i++) expect(told(await keyed(i))).toEqual([202, 'accepted'])
  for (let i = 4; i < 10; i++) expect((await code(i, { dry_run: true })).status).toBe(200)
  await limit({ queueLimit: 1 })
  for (let i = 4; i < 10; i++) expect(told(await code(i))).toEqual([429, 'queue_full'])
  await limit({ queueLimit: null })
  for (let i = 4; i < 9; i++) expect(told(await code(i))).toEqual([202, 'accepted'])
  expect(paused).toEqual([])
  expect(told(await code(9))).toEqual([403, 'account_suspended'])
})

test('so do messages that say nothing of codes, one number at a time; a list of many is of the account itself', async () => {
  paused.length = 0
  const numbers = Array.from({ length: 12 }, (_, i) => `+4915188881${String(i).padStart(3, '0')}`)
  expect(told(await live({ to: numbers }))).toEqual([202, 'accepted'])
  for (const number of numbers.slice(0, 9))
    expect(told(await live({ to: number }))).toEqual([202, 'accepted'])
  expect(told(await live({ to: numbers[9]! }))).toEqual([403, 'account_suspended'])
  expect(paused).toEqual([[api.account.accountId, { prefix: '+4915188881', numbers: 10, all: 10 }]])
})

test('of an account its own number is about codes, raises the one of other messages, and with 0 nothing is watched', async () => {
  paused.length = 0
  const one = (end: number) => live({ to: `+4915199991${String(end).padStart(3, '0')}` })
  await limit({ pumpingNumbers: 12 })
  for (let i = 0; i < 12; i++) expect(told(await one(i))).toEqual([202, 'accepted'])
  expect(told(await one(12))).toEqual([403, 'account_suspended'])
  await limit({ pumpingNumbers: 0 })
  for (let i = 20; i < 40; i++) expect(told(await one(i))).toEqual([202, 'accepted'])
  expect(paused).toHaveLength(1)
  await limit({ pumpingNumbers: null })
})

test('what is scheduled counts in the hour in which it goes, beside all that goes around it', async () => {
  await limit({ numberPerHour: 2, prefixPerHour: 3 })
  const number = (end: number) => `+4915176${String(end).padStart(6, '0')}`
  const at = (hours: number) => new Date(api.clock.now() + hours * hourMs).toISOString()
  const plan = (hours: number, ...numbers: string[]) => live({ to: numbers, send_at: at(hours) })
  const over = (...pointers: string[]) => [
    429,
    'recipient_rate_limited',
    ...pointers.map((pointer) => `/to/${pointer} recipient_rate_limited`),
  ]
  // A reminder for each of five days is no flood.
  for (let day = 1; day <= 5; day++) expect(told(await plan(24 * day, number(1)))).toEqual([202, 'accepted'])
  expect(told(await plan(24.5, number(1)))).toEqual([202, 'accepted'])
  const full = await plan(24.9, number(1))
  expect(told(full)).toEqual(over('0'))
  // The hour that begins with the first of the two.
  expect(full.headers.get('retry-after')).toBe(String(25 * 3_600))
  expect(told(await plan(23.6, number(1)))).toEqual(over('0'))
  expect(told(await plan(25.5, number(1)))).toEqual([202, 'accepted'])
  // Half an hour before and half an hour after the two of them lies no hour that holds all.
  expect(told(await plan(23, number(1)))).toEqual([202, 'accepted'])
  expect(told(await plan(48.5, number(2), number(1), number(3)))).toEqual(over('2'))
  expect(told(await plan(48.5, number(2), number(1)))).toEqual([202, 'accepted'])
  // What went just now lies in the hour of what is to go soon; what is only tried is nowhere.
  expect(told(await live({ to: number(7) }))).toEqual([202, 'accepted'])
  expect((await live({ to: number(7), send_at: at(0.5), dry_run: true })).status).toBe(200)
  expect(told(await plan(0.5, number(7)))).toEqual([202, 'accepted'])
  expect(told(await plan(0.6, number(7)))).toEqual(over('0'))
  // And what is to go soon in that of what goes now.
  expect(told(await plan(0.01, number(21_011)))).toEqual([202, 'accepted'])
  expect(told(await live({ to: number(21_011) }))).toEqual([202, 'accepted'])
  expect(told(await live({ to: number(21_011) }))).toEqual([
    429,
    'recipient_rate_limited',
    '/to recipient_rate_limited',
  ])
  // Several at once see one another, and nothing of them is left behind.
  const atOnce = await Promise.all(Array.from({ length: 8 }, () => plan(72, number(5_013))))
  const taken = atOnce.filter(({ status }) => status === 202)
  expect([1, 2]).toContain(taken.length)
  // One that only what is under way left no room for asks again soon, one that what is stored did when that hour has passed.
  for (const { status, headers } of atOnce)
    if (status === 429) expect(['5', String(73 * 3_600)]).toContain(headers.get('retry-after'))
  for (let i = taken.length; i < 2; i++) expect((await plan(72, number(5_013))).status).toBe(202)
  expect(told(await plan(72, number(5_013)))).toEqual(over('0'))
  await limit({ numberPerHour: null, prefixPerHour: null })
})

test('the fullest hour around a time is the one that counting all hours finds', () => {
  const minutes = fc.array(fc.integer({ min: 0, max: 240 }), { maxLength: 12 })
  fc.assert(
    fc.property(minutes, fc.integer({ min: 60, max: 180 }), (times, at) => {
      const ms = (minute: number) => minute * 60_000
      const counts = Array.from({ length: 60 }, (_, i) => at - i).map(
        (from) => times.filter((time) => time >= from && time < from + 60).length + 1,
      )
      expect(busiestWindow(times.map(ms), ms(at)).messages).toBe(Math.max(...counts))
    }),
  )
})

test('the suspension is the last word of the log on the account, by whom and why, without a whole number', async () => {
  const { accountId } = api.account
  const pause = () =>
    api.storage.writer.write(async (tx) =>
      pauseForPumping(
        tx,
        { ids: api.ids, unit: await takeChange(tx, api.clock.now()) },
        { accountId, sign: { prefix: '+4915177771', numbers: 6, all: 8 } },
      ),
    )
  const endpoint = { account_id: accountId, id: 'whk_a', url: 'https://example.com/', state: 'enabled', secret: 'sealed', created_at: 1, updated_at: 1 } as const // prettier-ignore
  await api.storage.writer.write((tx) => insertRows(tx, 'webhook_endpoints', [endpoint]))
  expect([await pause(), await pause()]).toEqual([true, false])
  const log = await api.storage.read
    .selectFrom('audit_log')
    .select(['action', 'actor', 'detail'])
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(2)
    .execute()
  expect(log.map(({ action, actor }) => [action, actor])).toEqual([
    ['account.paused_pumping', 'guard'],
    ['account.suspended', 'guard'],
  ])
  expect(JSON.parse(log[0]!.detail)).toEqual({ prefix: '+4915177771***', numbers: 6, of: 8 })
  const events = await api.storage.read.selectFrom('webhook_events').select(['type', 'facts']).execute()
  expect(events).toEqual([{ type: 'account.suspended', facts: '{"state":"suspended"}' }])
})

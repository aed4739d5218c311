import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setCountries } from '../../src/accounts/account-guard.ts'
import { setAccountLimits } from '../../src/accounts/accounts.ts'
import { PumpingWatch } from '../../src/api/v1/pumping-watch.ts'
import { Velocity } from '../../src/api/v1/velocity.ts'
import { readConfig } from '../../src/config.ts'
import { pauseForPumping } from '../../src/messages/pause-for-pumping.ts'
import { insertRows } from '../../src/storage/sets.ts'
import { openAccount } from '../../src/open-account.ts'
import { createStubClock } from '../stub-clock.ts'
import { startTestApi, type TestAnswer, type TestApi } from './start-test-api.ts'

const paused: unknown[] = []
let api: TestApi
beforeAll(async () => {
  api = await startTestApi({
    config: { sendPerMinute: 0, freeSms: 1_000, pumpingNumbers: 5 },
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
  expect(told(await live({ to: ['+4915112345678', '+33612345678', '+436641234567', '+88213300655'] }))).toEqual([
    422,
    'recipients_rejected',
    '/to/1 destination_not_allowed',
    '/to/3 destination_not_allowed',
  ]) // prettier-ignore
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
    const opening = { ids: api.ids, nowMs: api.clock.now(), randomBytes, config } // prettier-ignore
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
  const code = (end: number) => live({ to: `+4915177771${String(end).padStart(3, '0')}`, category: 'authentication' }) // prettier-ignore
  for (let i = 1; i <= 5; i++) expect(told(await code(i))).toEqual([202, 'accepted'])
  expect(told(await code(6))).toEqual([403, 'account_suspended'])
  expect(paused).toEqual([[api.account.accountId, { prefix: '+4915177771', numbers: 6, all: 6 }]])
})

test('the suspension is the last word of the log on the account, by whom and why, without a whole number', async () => {
  const { accountId } = api.account
  const pause = () =>
    api.storage.writer.write((tx) =>
      pauseForPumping(tx, deps(), { accountId, sign: { prefix: '+4915177771', numbers: 6, all: 8 } }),
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

test('codes to few neighbours, to many strangers, or to neighbours as ever, look like nothing', async () => {
  const clock = createStubClock()
  const watch = new PumpingWatch({ clock })
  const block = (from: number, count: number) => Array.from({ length: count }, (_, i) => `+49151777${String(from + i).padStart(4, '0')}`) // prettier-ignore
  const strangers = Array.from({ length: 40 }, (_, i) => `+49151${20 + i}12345`)
  expect(watch.note('few', block(0, 10), 10)).toBe(null)
  expect(watch.note('few', block(0, 10), 10)).toBe(null)
  expect(watch.note('off', block(0, 500), 0)).toBe(null)
  expect(watch.note('shop', [...strangers, ...block(0, 30)], 10)).toBe(null)
  // A company that writes to its own people each hour.
  watch.note('usual', block(0, 10), 10)
  await clock.advance(hourMs)
  expect(watch.note('usual', block(0, 30), 10)).toBe(null)
  await clock.advance(2 * hourMs)
  expect(watch.note('usual', block(0, 30), 10)).toMatchObject({ numbers: 30, all: 30 })
})

test('what an hour ago was counted fades, and memory is bounded', async () => {
  const clock = createStubClock()
  const velocity = new Velocity({ clock }, 2)
  for (let i = 0; i < 10; i++) velocity.add('a', 1)
  expect(velocity.waitSeconds('a', 10)).toBe(3_600)
  await clock.advance(1.5 * hourMs)
  // Half of the ten still count.
  expect([velocity.waitSeconds('a', 6), velocity.waitSeconds('a', 5)]).toEqual([0, 360])
  await clock.advance(360_000)
  expect(velocity.waitSeconds('a', 5)).toBe(0)
  velocity.add('b', 1)
  velocity.add('c', 1)
  expect([velocity.waitSeconds('a', 1), velocity.waitSeconds('c', 1)]).toEqual([0, 3_600])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { setOwnDevices } from '../../src/accounts/core/own-devices.ts'
import type { Routing } from '../../src/dispatch/devices/routing.ts'
import { startTestApi, type TestAnswer, type TestApi, workingRouting } from './start-test-api.ts'

let own: Routing = workingRouting
let all: Routing = workingRouting
let api: TestApi
beforeAll(async () => {
  api = await startTestApi({
    config: { sendPerMinute: 0, freeSms: 1 },
    ports: {
      routing: {
        forAccount: (_accountId, _mode, _sender, _forced, which) => (which === 'own' ? own : all),
      },
    },
  })
})
afterAll(() => api.close())

const to = '+4915112345678'
const live = (body: object, headers: Record<string, string> = {}): Promise<TestAnswer> =>
  api.send({ to, text: 'Hello', ...body }, { key: api.account.liveKey, headers })
const grant = (sms: number) =>
  api.storage.writer.write((tx) =>
    tx.updateTable('wallets').set({ granted: sms }).where('account_id', '=', api.account.accountId).execute(),
  )
const balance = async () =>
  (await api.request('GET', '/api/v1/balance', { key: api.account.liveKey })).body as Record<string, number>
const setPrice = async (price: 'free' | 'charged') => {
  const deps = { ids: api.ids, nowMs: api.clock.now() }
  const { accountId } = api.account
  await api.storage.writer.write((tx) => setOwnDevices(tx, deps, { accountId, price, actor: 'test' }))
  // What a key may do is remembered for 5 s.
  await api.clock.advance(6_000)
}

test('an account is charged for its own devices until they are set free', async () => {
  const first = await live({})
  expect(first.body.messages[0].cost).toEqual({ held: 1, charged: 0, state: 'held', paid_by: 'balance' })
  expect((await live({})).body.code).toBe('insufficient_balance')
})

test('with free own devices the balance does not matter, and message, dry run and balance say what pays', async () => {
  await setPrice('free')
  for (let i = 0; i < 20; i++) expect((await live({})).status).toBe(202)
  const accepted = await live({ text: 'x'.repeat(200) })
  expect(accepted.body.messages[0].cost).toEqual({
    held: 2,
    charged: 0,
    state: 'held',
    paid_by: 'own_device',
  })
  expect(accepted.body.totals).toMatchObject({ parts: 2, balance_available: 0 })
  expect(accepted.body.warnings.map(({ code }: { code: string }) => code)).not.toContain('low_balance')
  const dry = await live({ dry_run: true })
  expect(dry).toMatchObject({ status: 200, body: { messages: [{ cost: { paid_by: 'own_device' } }] } })
  const listed = await api.request('GET', '/api/v1/history?limit=1', { key: api.account.liveKey })
  expect(listed.body.data[0].cost).toMatchObject({ paid_by: 'own_device', held: 2 })
  expect(await balance()).toMatchObject({
    available: 0,
    reserved: 1,
    used: 0,
    granted: 1,
    own_reserved: 22,
    own_used: 0,
  })
})

test('what own devices cannot carry is paid, or refused for want of balance: a shared device is never free', async () => {
  own = { ...workingRouting, maxParts: 1 }
  expect((await live({ text: 'x'.repeat(200) })).body.code).toBe('insufficient_balance')
  own = { ...workingRouting, enabled: false, online: false, maxParts: 0 }
  expect((await live({})).body.code).toBe('insufficient_balance')
  own = workingRouting
  expect((await live({})).status).toBe(202)
})

const warned = ({ body }: TestAnswer) =>
  body.warnings.filter(({ code }: { code: string }) => code === 'paid_by_balance')

test('a send, dry or not, warns when the balance pays although own devices are free, and one that they carry does not', async () => {
  await grant(10)
  expect(warned(await live({}))).toEqual([])
  own = { ...workingRouting, maxParts: 1 }
  const long = { text: 'x'.repeat(200) }
  const message =
    'Own devices of this account cost nothing, but none of them can send more than 1 part, and the text has 2: the balance pays for this send.'
  const warning = { code: 'paid_by_balance', message, reason: 'too_long' }
  expect(warned(await live({ ...long, dry_run: true }))).toEqual([warning])
  const sent = await live(long)
  expect(warned(sent)).toEqual([warning])
  expect(sent.body.messages[0].cost.paid_by).toBe('balance')
  own = workingRouting
})

test('with a fallback a send takes a hold of the balance, which dry run, message, history and a repeated answer say', async () => {
  const { available: before = 0 } = await balance()
  const fallback = 'shared'
  const dry = await live({ fallback, dry_run: true })
  const held = { held: 1, charged: 0, state: 'held', paid_by: 'balance' }
  expect(dry.body.messages[0]).toMatchObject({ fallback, cost: held })
  const sent = await live({ fallback }, { 'idempotency-key': 'with-a-fallback' })
  expect(sent.body.messages[0]).toMatchObject({ fallback, cost: held })
  expect(sent.body.totals.balance_available).toBe(before - 1)
  const paid = { paid_by: 'own_device', cost_state: 'charged', charged: 1, status: 'sent' } as const
  const ofIt = { id: sent.body.messages[0].id as string }
  await api.storage.writer.write((tx) =>
    tx.updateTable('messages').set(paid).where('id', '=', ofIt.id).execute(),
  )
  const listed = await api.request('GET', `/api/v1/history?id=${ofIt.id}`, { key: api.account.liveKey })
  expect(listed.body.data[0]).toMatchObject({
    fallback,
    cost: { held: 1, charged: 1, state: 'charged', paid_by: 'own_device' },
  })
  const again = await live({ fallback }, { 'idempotency-key': 'with-a-fallback' })
  expect(again.body).toEqual(sent.body)
  expect((await live({ fallback: 'own' })).body.errors[0]).toMatchObject({
    pointer: '/fallback',
    code: 'not_in_enum',
  })
  expect((await live({})).body.messages[0].fallback).toBe(null)
})

test('a send can name an own device, and a SIM where that is a phone', async () => {
  const device = `dev_${'a'.repeat(26)}`
  const fault = async (via: object): Promise<string | undefined> => {
    const { status, body } = await live({ via, dry_run: true })
    return status === 200 ? 'none' : body.errors[0].pointer
  }
  expect(await fault({ device })).toBe('/via/device')
  own = all = { ...workingRouting, shared: false }
  expect(await fault({ device })).toBe('none')
  expect(await fault({ device, sim: 1 })).toBe('/via/sim')
  own = all = { ...workingRouting, shared: false, phonesOnly: true }
  expect(await fault({ device, sim: 1 })).toBe('none')
  expect(await fault({ device, sim: 4 })).toBe('/via/sim')
  own = all = workingRouting
})

test('a test key pays with its credits, whatever own devices cost', async () => {
  const sent = await api.send({ to: '+15005550006', text: 'Hello' })
  expect(sent.body.messages[0].cost.paid_by).toBe('balance')
})

test('set to charged again, the next send needs the balance', async () => {
  const { reserved = 0 } = await balance()
  await grant(reserved)
  await setPrice('charged')
  expect((await live({})).body.code).toBe('insufficient_balance')
})

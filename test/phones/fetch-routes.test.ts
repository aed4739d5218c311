import { expect, test } from 'vitest'
import { priorityOf } from '../../src/messages/core/route-key.ts'
import { registrationOf } from './phone-fixture.ts'
import { offerOf, openRoutesHouse } from './routes-house.ts'
import { reportOf } from './said-by-app.ts'

test('check 6: settings and webhooks are what the app can read', async () => {
  const { call } = await openRoutesHouse()
  expect((await call('GET', '/settings')).body).toEqual({
    gateway: { notification_channel: 'SSE_ONLY' },
    messages: { processing_order: 'FIFO', limit_period: 'Disabled' },
    ping: { interval_seconds: 600 },
    webhooks: { signing_key: 'a key of the house' },
  })
  const { body } = await call('GET', '/webhooks')
  const url = 'https://sms.example.org/mobile/v1/hooks/hook-secret-1'
  expect(body).toEqual([
    { id: 'onesixty-received-dev_1', url, event: 'sms:received' },
    { id: 'onesixty-sent-dev_1', url, event: 'sms:sent' },
    { id: 'onesixty-ping-dev_1', url, event: 'system:ping' },
    { id: 'onesixty-started-dev_1', url, event: 'app:started' },
  ])
})

test('a ping that was switched off is told as null', async () => {
  const { call, phone } = await openRoutesHouse()
  phone.applySettings({ ping_interval_s: '0' })
  expect((await call('GET', '/settings')).body).toMatchObject({ ping: { interval_seconds: null } })
})

test('check 7: dates have exactly three fraction digits', async () => {
  const { call, store, phone, clock } = await openRoutesHouse()
  store.offers = [offerOf({ createdAt: 1_700_000_000_000, validUntil: 1_800_000_000_000 })]
  phone.recordClock('hook', clock.now() + 3_600_000)
  const { text, body } = await call('GET', '/message?order=fifo')
  const dates = text.match(/\d{4}-\d\d-\d\dT[^"]*/g)
  expect(dates).toHaveLength(2)
  for (const date of dates ?? []) expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  // By the clock of the phone, which holds it against its own.
  expect(body[0].validUntil).toBe(new Date(1_800_000_000_000 + 3_600_000).toISOString())
})

test('after a report that was long under way a message is as long valid as before', async () => {
  const { call, store, clock } = await openRoutesHouse()
  const validUntil = clock.now() + 600_000
  store.offers = [offerOf({ validUntil })]
  const states = { Sent: new Date(clock.now() - 3_600_000).toISOString() }
  await call('PATCH', '/message', { json: [reportOf('Sent', { states })] })
  expect((await call('GET', '/message')).body[0].validUntil).toBe(new Date(validUntil).toISOString())
})

test('an item has one recipient and every member in its one form', async () => {
  const { call, store } = await openRoutesHouse()
  store.offers = [offerOf({ sim: 2 })]
  expect((await call('GET', '/message?order=lifo')).body).toEqual([
    {
      id: 'att_01jxqz3v5hq8y9r2m4n6p8s0tw',
      textMessage: { text: 'Hello 👋' },
      phoneNumbers: ['+4915550001234'],
      simNumber: 2,
      withDeliveryReport: true,
      isEncrypted: false,
      priority: 0,
      validUntil: '2026-11-21T10:00:00.000Z',
      createdAt: '2026-11-21T09:00:00.120Z',
      state: 'Pending',
    },
  ])
  store.offers = []
  expect(await call('GET', '/message')).toMatchObject({ status: 200, text: '[]' })
})

test('what goes first in the queue has the higher priority on the phone, and none goes past its pace', async () => {
  const { call, store } = await openRoutesHouse()
  store.offers = (['authentication', 'transactional', 'marketing'] as const).map((category) =>
    offerOf({ priority: priorityOf(category) }),
  )
  const { body } = await call('GET', '/message')
  const given = (body as { priority: number }[]).map(({ priority }) => priority)
  expect(given).toEqual([0, -1, -2])
})

test('check 21: an app before 1.67 never sees an item to cancel, which it would send', async () => {
  const { call, store } = await openRoutesHouse()
  store.offers = [offerOf({ state: 'cancelling' })]
  expect((await call('GET', '/message', { appVersion: '1.66.2' })).body).toEqual([])
  expect((await call('GET', '/message', { appVersion: '1.67.0' })).body).toMatchObject([
    { state: 'Cancelling' },
  ])
  store.registration = registrationOf({ appVersion: null })
  expect((await call('GET', '/message', { headers: { 'user-agent': 'okhttp/4.10.0' } })).body).toEqual([])
})

test('check 28: an app is told of no webhook that its version does not know', async () => {
  const { call } = await openRoutesHouse()
  const eventsOf = async (appVersion: string): Promise<string[]> =>
    (await call('GET', '/webhooks', { appVersion })).body.map(({ event }: { event: string }) => event)
  expect(await eventsOf('1.66.0')).toContain('app:started')
  expect(await eventsOf('1.65.9')).toEqual(['sms:received', 'sms:sent', 'system:ping'])
})

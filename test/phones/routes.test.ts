import { METHODS } from 'node:http'
import { expect, test } from 'vitest'
import { invalidInput } from '../../src/invalid-input.ts'
import { priorityOf } from '../../src/messages/message-store.ts'
import { rawRequest } from '../api/raw-request.ts'
import { eventually } from '../eventually.ts'
import { registrationOf } from './phone-fixture.ts'
import { deviceToken, offerOf, openRoutesHouse, privateToken, type TestStream } from './routes-house.ts'

const until = (holds: () => void): Promise<unknown> => eventually(() => undefined, holds)
const sim = {
  slotIndex: 0,
  simNumber: 1,
  phoneNumber: '********1234',
  carrierName: '**elco',
  iccid: '****0001',
}
const app = { name: 'samsung/a12', simCards: [sim] }

test('check 1: a phone registers with the right private token, and with no other', async () => {
  const { call, store } = await openRoutesHouse()
  const right = await call('POST', '/device', { token: privateToken, json: app })
  expect(right.status).toBe(201)
  expect(right.headers.get('content-type')).toBe('application/json')
  expect(right.body).toEqual({ id: 'phn_1', token: deviceToken, login: 'Ada' })
  expect(store.registered).toEqual([
    {
      name: 'samsung/a12',
      sims: [{ slot: 1, number: '********1234', carrier: '**elco', iccid: '****0001' }],
      usesPush: false,
      appVersion: '1.68.0',
    },
  ])
  for (const headers of [{ authorization: 'Basic YTpi' }, { authorization: 'Code abcdef' }, {}])
    expect(await call('POST', '/device', { token: null, json: app, headers })).toMatchObject({ status: 401 })
  const wrong = await call('POST', '/device', { token: 'onesixty_phone_wrong', json: app })
  expect(wrong).toMatchObject({ status: 401, body: { message: 'The token is not known.' } })
  expect(store.registered).toHaveLength(1)
})

test('a phone beyond those that its owner may have is told so, and nobody takes it for a fault', async () => {
  const { call, store, logLines } = await openRoutesHouse()
  store.fault = invalidInput([
    { code: 'too_many_items', detail: 'There are 2 phones already: remove one first.' },
  ])
  const answer = await call('POST', '/device', { token: privateToken, json: app })
  expect(answer).toMatchObject({ status: 422, body: { detail: 'There are 2 phones already: remove one first.' } }) // prettier-ignore
  expect(logLines.join('')).not.toContain('"level":"error"')
})

test('check 2: an update with the token of another server is 401, which makes the app register anew', async () => {
  const { call, store } = await openRoutesHouse()
  expect(await call('PATCH', '/device', { token: 'of-another-server', json: { id: 'x' } })).toMatchObject({ status: 401 }) // prettier-ignore
  expect(store.updated).toEqual([])
})

test('check 3: an update with the right token and another id is taken by its token', async () => {
  const { call, store } = await openRoutesHouse()
  const answer = await call('PATCH', '/device', {
    json: { id: 'of-another', name: 'other/phone', simCards: [sim] },
  })
  expect(answer).toMatchObject({ status: 204, text: '' })
  expect(answer.headers.get('content-length')).toBeNull()
  expect(store.updated).toMatchObject([{ name: null, sims: [{ slot: 1 }] }])
})

test('check 4: an update without a push token says that there is none any more', async () => {
  const { call, store, phone } = await openRoutesHouse()
  await call('PATCH', '/device', { json: { id: 'phn_1', pushToken: 'of-google' } })
  expect(phone.health()).toMatchObject({ status: 'degraded', reasons: ['push_only'] })
  await call('PATCH', '/device', { json: { id: 'phn_1' } })
  expect(store.updated.map(({ usesPush }) => usesPush)).toEqual([true, false])
  expect(store.updated[1]).toMatchObject({ name: null, sims: null })
  expect(phone.health()).toMatchObject({ status: 'online', reasons: [] })
})

test('check 5: //device works, as the app makes it of an address with a slash at its end', async () => {
  const { call } = await openRoutesHouse()
  expect(await call('POST', '//device', { token: privateToken, json: app })).toMatchObject({ status: 201 })
  expect(await call('PATCH', '//device', { json: {} })).toMatchObject({ status: 204 })
  for (const path of ['/message', '/settings', '/webhooks', '/device'])
    expect(await call('GET', `/${path}`), path).toMatchObject({ status: 200 })
})

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
  phone.heardClock('hook', clock.now() + 3_600_000)
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
  expect((await call('GET', '/message', { appVersion: '1.67.0' })).body).toMatchObject([{ state: 'Cancelling' }]) // prettier-ignore
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

const reportOf = (state: string, more: object = {}): object => ({
  id: 'att_1',
  state,
  recipients: [{ phoneNumber: '+4915550001234', state }],
  states: { [state]: '2026-11-21T12:30:00.000+03:00' },
  ...more,
})

test('reports are handed on by the word on the recipient', async () => {
  const { call, store } = await openRoutesHouse()
  for (const state of ['Pending', 'Processed', 'Sent', 'Delivered', 'Cancelled', 'Failed'])
    expect(await call('PATCH', '/message', { json: [reportOf(state)] })).toMatchObject({ status: 204 })
  expect(store.reports.map(({ state }) => state)).toEqual(['pending', 'processed', 'sent', 'delivered', 'canceled', 'failed']) // prettier-ignore
  store.reports = []
  const failed = { phoneNumber: '+49', state: 'Failed', error: 'TTL expired' }
  await call('PATCH', '/message', { json: [reportOf('Sent', { recipients: [failed] })] })
  // What the phone never had it says to have canceled, and knows no recipient.
  await call('PATCH', '/message', { json: [reportOf('Cancelled', { recipients: [] })] })
  expect(store.reports).toEqual([
    { attemptId: 'att_1', state: 'failed', error: 'TTL expired' },
    { attemptId: 'att_1', state: 'canceled', error: null },
  ])
})

test('what a phone says holds nothing that a terminal obeys or a database refuses', async () => {
  const { call, store } = await openRoutesHouse()
  const carrierName = '\u009b31mT\u0000elco\ud800'
  const json = { name: 'sam\u001b[2Jsung/a12\nonline', simCards: [{ ...sim, carrierName }] }
  await call('POST', '/device', { token: privateToken, json })
  expect(store.registered[0]).toMatchObject({ name: 'sam[2Jsung/a12 online', sims: [{ carrier: '31mTelco\ufffd' }] }) // prettier-ignore
  const recipients = [{ state: 'Failed', error: 'Result\u0000: RESULT_X' }]
  await call('PATCH', '/message', { json: [reportOf('Failed', { id: 'att\u0000_1', recipients })] })
  expect(store.reports).toEqual([{ attemptId: 'att_1', state: 'failed', error: 'Result: RESULT_X' }])
})

test('check 12: reports of what nobody knows are answered 204', async () => {
  const { call, store } = await openRoutesHouse()
  const strange = [reportOf('Sent', { id: 'of-another-server' }), reportOf('Sent', { id: 7 }), reportOf('Dancing'), reportOf('constructor'), null, 1]
  expect(await call('PATCH', '/message', { json: strange })).toMatchObject({ status: 204 })
  expect(store.reports).toEqual([{ attemptId: 'of-another-server', state: 'sent', error: null }])
}) // prettier-ignore

test('check 13: what could not be stored is answered 5xx, and taken when the phone says it again', async () => {
  const { call, store, hook, logLines } = await openRoutesHouse()
  store.fault = new Error('disk full')
  expect(await call('PATCH', '/message', { json: [reportOf('Sent')] })).toMatchObject({ status: 500, body: { message: expect.any(String) } }) // prettier-ignore
  expect(await hook('sms:received', received)).toMatchObject({ status: 500 })
  expect(logLines.some((line) => line.includes('disk full'))).toBe(true)
  store.fault = null
  expect(await call('PATCH', '/message', { json: [reportOf('Sent')] })).toMatchObject({ status: 204 })
  expect(await hook('sms:received', received)).toMatchObject({ status: 204 })
  expect(store.reports).toHaveLength(1)
  expect(store.inbound).toHaveLength(1)
})

test('check 14: an error of 5 kB and odd dates are taken', async () => {
  const { call, store, phone } = await openRoutesHouse()
  const recipients = [{ phoneNumber: '+49', state: 'Failed', error: 'x'.repeat(5_000) }]
  for (const date of ['2026-11-21T04:30:00.000+-5:00', 'yesterday', '', null, 7]) {
    const json = [reportOf('Failed', { recipients, states: { Failed: date } })]
    expect(await call('PATCH', '/message', { json }), String(date)).toMatchObject({ status: 204 })
  }
  expect(await call('PATCH', '/message', { json: [reportOf('Sent', { states: 'none' })] })).toMatchObject({ status: 204 }) // prettier-ignore
  expect(store.reports).toHaveLength(6)
  expect(store.reports[0]!.error).toHaveLength(500)
  // 04:30 five hours west of Greenwich is 09:30 there, which is now.
  expect(phone.clockOffsetMs).toBe(0)
})

test('check 15: a report on a recipient without + counts by its attempt', async () => {
  const { call, store } = await openRoutesHouse()
  const recipients = [{ phoneNumber: '72727', state: 'Delivered' }]
  await call('PATCH', '/message', { json: [reportOf('Delivered', { recipients })] })
  expect(store.reports).toEqual([{ attemptId: 'att_1', state: 'delivered', error: null }])
})

test('a body that is no JSON, no list or too large is refused in the form of the app', async () => {
  // Whatever the interface takes beside.
  const { call } = await openRoutesHouse({ maxBodyBytes: 1_000_000 })
  for (const [json, status] of [['{', 400], ['{}', 400], [`["${'x'.repeat(70_000)}"]`, 413]] as const) {
    const answer = await call('PATCH', '/message', { json })
    expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(/^The body is /) } })
    expect(answer.headers.get('content-type')).toBe('application/json')
  }
}) // prettier-ignore

test('a content type with a charset is taken, and any other', async () => {
  const { call, store } = await openRoutesHouse()
  for (const type of ['application/json; charset=UTF-8', 'text/plain'])
    await call('PATCH', '/message', { json: [reportOf('Sent')], headers: { 'content-type': type } })
  expect(store.reports).toHaveLength(2)
})

test('the app learns its own address, with its token or without', async () => {
  const { call } = await openRoutesHouse()
  for (const token of [null, deviceToken])
    expect(await call('GET', '/device', { token })).toMatchObject({ status: 200, body: { externalIp: '127.0.0.1' } }) // prettier-ignore
})

test('codes and passwords are not there', async () => {
  const { call } = await openRoutesHouse()
  expect(await call('GET', '/user/code', { token: null })).toMatchObject({ status: 501 })
  expect(await call('PATCH', '/user/password', { json: {} })).toMatchObject({ status: 501 })
})

test('check 27: to a phone whose device is gone everything is 401', async () => {
  const { call, store, hook } = await openRoutesHouse()
  store.registration = null
  for (const [method, path] of [['PATCH', '/device'], ['GET', '/device'], ['GET', '/message'], ['PATCH', '/message'], ['GET', '/settings'], ['GET', '/webhooks'], ['GET', '/events']] as const) // prettier-ignore
    expect(await call(method, path), `${method} ${path}`).toMatchObject({ status: 401, body: { message: 'The token is not known.' } }) // prettier-ignore
  expect(await hook('system:ping', {})).toMatchObject({ status: 401 })
  expect(store.pulls).toBe(0)
})

test('wrong tokens of one address are answered 429 after some, and a right one still passes', async () => {
  const { call } = await openRoutesHouse({ phoneFailedAuthPerMinute: 3 })
  const wrong = () => call('PATCH', '/device', { token: 'wrong', json: {} })
  for (let n = 0; n < 3; n++) expect(await wrong()).toMatchObject({ status: 401 })
  const refused = await wrong()
  expect(refused).toMatchObject({ status: 429 })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await call('PATCH', '/device', { json: {} })).toMatchObject({ status: 204 })
  expect(await call('POST', '/device', { token: privateToken, json: app })).toMatchObject({ status: 201 })
})

const received = {
  messageId: 'abc',
  message: 'STOP',
  sender: '+4915550007777',
  recipient: '+4915550001234',
  simNumber: 1,
  phoneNumber: '+4915550007777',
  receivedAt: '2026-11-21T12:29:58.000+03:00',
}

test('check 22: a webhook is taken with the right signature only, and not when it is old', async () => {
  const { hook, store, clock } = await openRoutesHouse()
  expect(await hook('sms:received', received)).toMatchObject({ status: 204, text: '' })
  expect(store.inbound).toEqual([
    {
      from: '+4915550007777',
      to: '+4915550001234',
      text: 'STOP',
      receivedAt: Date.parse('2026-11-21T09:29:58.000Z'),
      inReplyTo: null,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ])
  const bad: Parameters<typeof hook>[2][] = [
    { key: 'another key' },
    { secret: 'another-secret' },
    { headers: { 'x-signature': '' } },
    { headers: { 'x-signature': 'a'.repeat(64) } },
    { headers: { 'x-timestamp': '1' } },
    { headers: { 'x-timestamp': 'now' } },
    { atMs: clock.now() - 11 * 60_000 },
    { atMs: clock.now() + 11 * 60_000 },
  ]
  for (const [i, options] of bad.entries())
    expect(await hook('sms:received', received, options), String(i)).toMatchObject({ status: 401 })
  expect(store.inbound).toHaveLength(1)
})

test('check 23: a repeated webhook has one fingerprint, a genuine repeat of another second has its own', async () => {
  const { hook, store } = await openRoutesHouse()
  await hook('sms:received', received, { id: 'one' })
  await hook('sms:received', received, { id: 'two' })
  await hook('sms:received', { ...received, receivedAt: '2026-11-21T12:29:59.000+03:00' })
  await hook('sms:received', { ...received, simNumber: 2 })
  const [first, again, later, otherSim] = store.inbound.map(({ fingerprint }) => fingerprint)
  expect(again).toBe(first)
  expect(new Set([first, later, otherSim]).size).toBe(3)
})

test('check 23: the same second told by another zone or with other fractions is the same message', async () => {
  const { hook, store } = await openRoutesHouse()
  for (const receivedAt of [received.receivedAt, '2026-11-21T09:29:58.417Z', '2026-11-21T05:29:58.000-04:00'])
    await hook('sms:received', { ...received, receivedAt })
  for (const receivedAt of ['no date', 'no other date'])
    await hook('sms:received', { ...received, receivedAt })
  const [first, inUtc, inTheWest, ...undated] = store.inbound.map(({ fingerprint }) => fingerprint)
  expect([inUtc, inTheWest]).toEqual([first, first])
  expect(new Set([first, ...undated]).size).toBe(3)
})

test('a ping, a start and the SIM of a sent message are taken from the webhooks', async () => {
  const { hook, store, phone } = await openRoutesHouse()
  const check = (observedValue: number, status = 'pass') => ({ status, observedValue, observedUnit: '', description: '' }) // prettier-ignore
  const checks = {
    'battery:level': check(12),
    'battery:charging': check(0),
    'connection:transport': check(6),
    'connection:cellular': check(4),
    'messages:failed': check(0),
  }
  expect(await hook('system:ping', { health: { version: '1.68.0', checks } })).toMatchObject({ status: 204 })
  const at = phone.health().lastSeenAt
  expect(phone.health()).toMatchObject({
    reasons: ['battery_low'],
    battery: { percent: 12, charging: false, at },
    network: { transport: 'wifi', registered: true, at },
  })
  await hook('app:started', { simCards: [{ ...sim, phoneNumber: '+4915550001234', carrierName: 'Telco' }] })
  expect(phone.health().sims).toEqual([{ slot: 1, number: '+4915550001234', carrier: 'Telco' }])
  await hook('sms:sent', { messageId: 'att_1', recipient: '+49', simNumber: 2, partsCount: 1 })
  await hook('sms:sent', { messageId: 'att_2', recipient: '+49', partsCount: 3 })
  expect(store.sent).toEqual([
    { attemptId: 'att_1', sim: 2, parts: 1 },
    { attemptId: 'att_2', sim: null, parts: 3 },
  ])
  for (const [event, payload] of [
    ['sms:sent', {}],
    ['sms:received', {}],
    ['system:ping', {}],
    ['app:started', { simCards: 'none' }],
    ['mms:received', {}],
  ] as const)
    // prettier-ignore
    expect(await hook(event, payload), event).toMatchObject({ status: 204 })
})

test('check 16: an event stream begins at once, with what proxies need to know, and is kept alive', async () => {
  const { clock, openStream } = await openRoutesHouse()
  const stream = await openStream()
  expect(stream.status).toBe(200)
  expect(stream.tookMs).toBeLessThan(100)
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  })
  expect(stream.headers['content-encoding']).toBeUndefined()
  await until(() => expect(stream.text()).toMatch(/^: open\n\n/))
  await clock.advance(15_000)
  await until(() => expect(stream.text()).toContain(':keepalive\n\n'))
  stream.close()
})

test('check 17: two streams both get the event, and none is closed', async () => {
  const { phone, openStream } = await openRoutesHouse()
  const streams = [await openStream(), await openStream()]
  phone.wake()
  for (const stream of streams) {
    await until(() => expect(stream.events()).toContain('MessageEnqueued'))
    expect(stream.text()).toContain('event: MessageEnqueued\ndata: null\n\n')
    expect(stream.ended()).toBe(false)
  }
  streams[0]!.close()
  await until(() => expect(phone.health()).toMatchObject({ status: 'online', link: 'stream' }))
  expect(streams[1]!.ended()).toBe(false)
  streams[1]!.close()
  await until(() => expect(phone.isStreaming).toBe(false))
})

test('a phone has 64 streams at once and no more: the oldest, which is long dead, makes room for the next', async () => {
  const { openStream, phone } = await openRoutesHouse()
  const streams: TestStream[] = []
  for (let n = 0; n < 64; n++) streams.push(await openStream())
  await until(() => expect(streams.every((stream) => stream.text() !== '' && !stream.ended())).toBe(true))
  streams.push(await openStream())
  await until(() => expect(streams.map((stream) => stream.ended())).toEqual([true, ...streams.slice(1).map(() => false)])) // prettier-ignore
  expect(phone.isStreaming).toBe(true)
  for (const stream of streams) stream.close()
})

test('check 20: a phone hears of settings and webhooks that it has not read, and of no others', async () => {
  const { call, phone, openStream } = await openRoutesHouse()
  const first = await openStream()
  await until(() => expect(first.events()).toEqual(['SettingsUpdated', 'WebhooksUpdated']))
  await call('GET', '/settings')
  await call('GET', '/webhooks')
  first.close()
  phone.applySettings({ ping_interval_s: '300' })
  const second = await openStream()
  await until(() => expect(second.events()).toEqual(['SettingsUpdated']))
  await call('GET', '/settings')
  const third = await openStream()
  await until(() => expect(third.text()).toContain(': open'))
  phone.wake()
  await until(() => expect(third.events()).toEqual(['MessageEnqueued']))
  for (const stream of [second, third]) stream.close()
})

test('check 19: after a full page the phone is told to fetch again as soon as it has spoken, if more waits', async () => {
  const { call, clock, store, phone, openStream } = await openRoutesHouse()
  const stream = await openStream()
  store.offers = Array.from({ length: 20 }, (_, i) => offerOf({ attemptId: `att_${i}` }))
  await call('GET', '/message')
  await call('PATCH', '/message', { json: [reportOf('Pending')] })
  await clock.advance(15_000)
  await until(() => expect(stream.text()).toContain(':keepalive'))
  expect(stream.events()).not.toContain('MessageEnqueued')
  store.hasMore = true
  await call('PATCH', '/message', { json: [reportOf('Pending')] })
  await until(() => expect(stream.events()).toContain('MessageEnqueued'))
  expect(phone.hasBacklog).toBe(true)
  stream.close()
})

test('a fetch answers the wake-up, which is not repeated', async () => {
  const { call, clock, phone, openStream } = await openRoutesHouse()
  const stream = await openStream()
  phone.wake()
  await call('GET', '/message')
  await clock.advance(15_000)
  await until(() => expect(stream.text()).toContain(':keepalive'))
  expect(stream.events().filter((name) => name === 'MessageEnqueued')).toHaveLength(1)
  stream.close()
})

test('the server stops with streams open, and ends them', async () => {
  const house = await openRoutesHouse()
  const stream = await house.openStream()
  await house.stop()
  await until(() => expect(stream.ended()).toBe(true))
  expect(house.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([])
})

test('each route takes its methods and answers 405 with Allow to every other', async () => {
  const { port, call } = await openRoutesHouse()
  const routes = new Map([
    ['/device', ['POST', 'PATCH', 'GET']],
    ['/message', ['GET', 'PATCH']],
    ['/settings', ['GET']],
    ['/webhooks', ['GET']],
    ['/events', ['GET']],
    ['/user/code', ['GET']],
    ['/user/password', ['PATCH']],
    ['/hooks/something-secret', ['POST']],
  ])
  for (const [path, allowed] of routes) {
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
      const answer = await rawRequest(port, `${method} /mobile/v1${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`) // prettier-ignore
      if (allowed.includes(method)) expect([200, 401, 501], `${method} ${path}`).toContain(answer.status)
      else expect(answer, `${method} ${path}`).toMatchObject({ status: 405, headers: { allow: allowed.join(', ') } }) // prettier-ignore
    }
  }
  for (const path of ['', '/', '/devices', '/device/', '/hooks', '/hooks/', '/hooks/a/b', '/message/1'])
    expect((await call('GET', path)).status, path).toBe(404)
})

test('the log names routes and devices, and holds no token, secret, number or text', async () => {
  const { logLines, call, hook, store } = await openRoutesHouse()
  store.offers = [offerOf()]
  await call('POST', '/device', { token: privateToken, json: app })
  await call('GET', '/message')
  await hook('sms:received', received)
  await hook('sms:received', received, { secret: 'hook-secret-2' })
  await call('GET', '/hooks/hook-secret-3', { token: null })
  await call('GET', '/hooks/onesixty/hook-secret-4', { token: null })
  const lines = logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines.find(({ path }) => path === '/mobile/v1/message')).toMatchObject({ method: 'GET', status: 200, device: 'dev_1' }) // prettier-ignore
  expect(lines.filter(({ path }) => path === '/mobile/v1/hooks/:secret').map(({ status }) => status)).toEqual([204, 401, 405]) // prettier-ignore
  const log = logLines.join('\n')
  for (const secret of [
    'hook-secret-1',
    'hook-secret-2',
    'hook-secret-3',
    privateToken,
    deviceToken,
    'Hello',
    'STOP',
    '1234',
  ])
    // prettier-ignore
    expect(log).not.toContain(secret)
})

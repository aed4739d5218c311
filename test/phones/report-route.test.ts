import { expect, test } from 'vitest'
import { offerOf, openRoutesHouse, privateToken } from './routes-house.ts'
import { received, reportOf, sim } from './said-by-app.ts'

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
  expect(store.reports).toMatchObject([
    { attemptId: 'att_1', state: 'failed', error: 'TTL expired' },
    { attemptId: 'att_1', state: 'canceled', error: null },
  ])
})

test('the dates of a report are told in our time, whatever the clock of the phone says', async () => {
  const { call, hook, store, clock } = await openRoutesHouse()
  const times = () => store.reports.map(({ sentAt, deliveredAt }) => ({ sentAt, deliveredAt }))
  // As its SendStateWorker writes them: local time, with the offset of the zone.
  const states = { Sent: '2026-11-21T10:30:00.000+03:00', Delivered: '2026-11-21T10:31:00.250+03:00' }
  await call('PATCH', '/message', { json: [reportOf('Delivered', { states })] })
  const sentAt = Date.parse('2026-11-21T07:30:00.000Z')
  expect(times()).toEqual([{ sentAt, deliveredAt: sentAt + 60_250 }])
  store.reports = []
  // Its clock goes five minutes before ours: that of a signed request is the one of its dates.
  await hook('sms:received', received, { atMs: clock.now() + 300_000 })
  await call('PATCH', '/message', { json: [reportOf('Sent', { states: { Sent: states.Sent } })] })
  expect(times()).toEqual([{ sentAt: sentAt - 300_000 }])
  store.reports = []
  await call('PATCH', '/message', { json: [reportOf('Sent', { states: { Sent: 'soon' } }), reportOf('Sent', { states: 7 })] }) // prettier-ignore
  const undated = { attemptId: 'att_1', state: 'sent', error: null }
  expect(store.reports).toEqual([undated, undated])
})

test('a message that was delivered by the dates of a report is delivered, though its latest word is that it was sent', async () => {
  const { call, store } = await openRoutesHouse()
  const dates = { Processed: '2026-11-21T09:29:58.000+00:00', Sent: '2026-11-21T09:30:00.000+00:00' }
  const delivered = { ...dates, Delivered: '2026-11-21T09:29:59.000+00:00' }
  for (const [state, given] of [
    ['Sent', dates],
    ['Sent', delivered],
    ['Processed', delivered],
    ['Failed', delivered],
    ['Sent', { ...dates, Delivered: 'soon' }],
  ] as const)
    await call('PATCH', '/message', { json: [reportOf(state, { states: given })] })
  expect(store.reports.map(({ state }) => state)).toEqual([
    'sent',
    'delivered',
    'delivered',
    'failed',
    'sent',
  ])
})

test('what a phone says holds nothing that a terminal obeys or a database refuses', async () => {
  const { call, store } = await openRoutesHouse()
  const carrierName = '\u009b31mT\u0000elco\ud800'
  const json = { name: 'sam\u001b[2Jsung/a12\nonline', simCards: [{ ...sim, carrierName }] }
  await call('POST', '/device', { token: privateToken, json })
  expect(store.registered[0]).toMatchObject({
    name: 'sam[2Jsung/a12 online',
    sims: [{ carrier: '31mTelco\ufffd' }],
  })
  const recipients = [{ state: 'Failed', error: 'Result\u0000: RESULT_X' }]
  await call('PATCH', '/message', { json: [reportOf('Failed', { id: 'att\u0000_1', recipients })] })
  expect(store.reports).toEqual([{ attemptId: 'att_1', state: 'failed', error: 'Result: RESULT_X' }])
})

test('check 12: reports of what nobody knows are answered 204', async () => {
  const { call, store } = await openRoutesHouse()
  const strange = [
    reportOf('Sent', { id: 'of-another-server' }),
    reportOf('Sent', { id: 7 }),
    reportOf('Dancing'),
    reportOf('constructor'),
    null,
    1,
  ]
  expect(await call('PATCH', '/message', { json: strange })).toMatchObject({ status: 204 })
  expect(store.reports).toMatchObject([{ attemptId: 'of-another-server', state: 'sent', error: null }])
})

test('check 13: what could not be stored is answered 5xx, and taken when the phone says it again', async () => {
  const { call, store, hook, logLines } = await openRoutesHouse()
  store.fault = new Error('disk full')
  expect(await call('PATCH', '/message', { json: [reportOf('Sent')] })).toMatchObject({
    status: 500,
    body: { message: expect.any(String) },
  })
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
  expect(await call('PATCH', '/message', { json: [reportOf('Sent', { states: 'none' })] })).toMatchObject({
    status: 204,
  })
  expect(store.reports).toHaveLength(6)
  expect(store.reports[0]!.error).toHaveLength(500)
  // 04:30 five hours west of Greenwich is 09:30 there, which is now.
  expect(phone.clockOffsetMs).toBe(0)
})

test('after a message has expired on a phone whose clock was set ahead, the next pull goes by that clock', async () => {
  const { call, store, hook } = await openRoutesHouse()
  store.offers = [offerOf()]
  const validUntil = async (): Promise<unknown> => {
    const { body } = await call('GET', '/message')
    return new Date(body[0].validUntil).toISOString()
  }
  expect(await hook('sms:received', received)).toMatchObject({ status: 204 })
  const recipients = [{ state: 'Failed', error: 'TTL expired' }]
  const at = (hour: string) => ({
    recipients,
    states: { Pending: '2026-11-21T08:00:00.000+00:00', Failed: `2026-11-21T${hour}:30:00.000+00:00` },
  })
  await call('PATCH', '/message', {
    json: [reportOf('Failed', at('09')), reportOf('Sent', { id: 'att_3', states: at('15').states })],
  })
  expect(await validUntil()).toBe('2026-11-21T10:00:00.000Z')
  // What the phone has said before may be of a clock that is right again.
  await call('PATCH', '/message', { json: [reportOf('Failed', at('13'))] })
  expect(await validUntil()).toBe('2026-11-21T10:00:00.000Z')
  await call('PATCH', '/message', { json: [reportOf('Failed', { id: 'att_2', ...at('11') })] })
  expect(await validUntil()).toBe('2026-11-21T12:00:00.000Z')
})

test('a failure that is told five times is one failure, and five messages that fail are too many', async () => {
  const { call, phone } = await openRoutesHouse()
  const fails = (id: string) => call('PATCH', '/message', { json: [reportOf('Failed', { id })] })
  for (let n = 0; n < 5; n++) await fails('att_1')
  expect(phone.health().reasons).toEqual([])
  for (let n = 2; n <= 5; n++) await fails(`att_${n}`)
  expect(phone.health().reasons).toContain('repeated_failures')
})

test('check 15: a report on a recipient without + counts by its attempt', async () => {
  const { call, store } = await openRoutesHouse()
  const recipients = [{ phoneNumber: '72727', state: 'Delivered' }]
  await call('PATCH', '/message', { json: [reportOf('Delivered', { recipients })] })
  expect(store.reports).toMatchObject([{ attemptId: 'att_1', state: 'delivered', error: null }])
})

test('a body that is no JSON, no list or too large is refused in the form of the app', async () => {
  // Whatever the interface takes beside.
  const { call } = await openRoutesHouse({ maxBodyBytes: 1_000_000 })
  for (const [json, status] of [
    ['{', 400],
    ['{}', 400],
    [`["${'x'.repeat(70_000)}"]`, 413],
  ] as const) {
    const answer = await call('PATCH', '/message', { json })
    expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(/^The body is /) } })
    expect(answer.headers.get('content-type')).toBe('application/json')
  }
})

test('a content type with a charset is taken, and any other', async () => {
  const { call, store } = await openRoutesHouse()
  for (const type of ['application/json; charset=UTF-8', 'text/plain'])
    await call('PATCH', '/message', { json: [reportOf('Sent')], headers: { 'content-type': type } })
  expect(store.reports).toHaveLength(2)
})

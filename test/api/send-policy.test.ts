import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestAnswer, type TestApi, workingRouting } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({
    config: { sendPerMinute: 0 },
    ports: {
      optedOut: async (_account, _mode, numbers) =>
        new Set(numbers.filter((number) => number === '+4915112340000')),
    },
  })
})
afterAll(() => api.close())

const to = '+4915112345678'
const told = ({ body }: TestAnswer) => [
  body.status ?? 202,
  body.code ?? 'accepted',
  ...(body.errors ?? []).map((fault: { pointer: string; code: string }) => `${fault.pointer} ${fault.code}`),
]

test('each test number brings its own answer, alone and among others', async () => {
  const send = async (number: string) => told(await api.send({ to: number, text: 'x' }))
  expect(await send('+15005550001')).toEqual([422, 'validation_failed', '/to invalid_number'])
  expect(await send('+15005550003')).toEqual([422, 'recipients_rejected', '/to destination_not_allowed'])
  expect(await send('+15005550004')).toEqual([422, 'recipients_rejected', '/to recipient_opted_out'])
  expect(await send('+15005550008')).toEqual([429, 'queue_full'])
  expect(await send('+15005550010')).toEqual([402, 'insufficient_balance'])
  for (const end of ['02', '05', '06', '07', '09', '11'])
    expect(await send(`+150055500${end}`), end).toEqual([202, 'accepted'])
  expect(
    told(await api.send({ to: [to, '+15005550003', '+15005550004', '+15005550010'], text: 'x' })),
  ).toEqual([422, 'recipients_rejected', '/to/1 destination_not_allowed', '/to/2 recipient_opted_out'])
  const full = await api.send({ to: '+15005550008', text: 'x' })
  expect(full.headers.get('retry-after')).toBe('10')
  const poor = await api.send({ to: ['+15005550010', to], text: 'x'.repeat(161) })
  expect(poor.body).toMatchObject({ required: 4, available: 0 })
})

test('with a live key every test number is invalid', async () => {
  for (const end of ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11']) {
    const answer = await api.send({ to: `+150055500${end}`, text: 'x' }, { key: api.account.liveKey })
    expect(told(answer), end).toEqual([422, 'validation_failed', '/to invalid_number'])
  }
  const neighbour = await api.send(
    { to: '+15005550012', text: 'x', dry_run: true },
    { key: api.account.liveKey },
  )
  expect(neighbour.status).toBe(200)
})

test('a number that said stop, and a premium number, are not written to; all are named', async () => {
  const answer = await api.send({ to: [to, '+4915112340000', '+499001234567'], text: 'x' })
  expect(told(answer)).toEqual([
    422,
    'recipients_rejected',
    '/to/1 recipient_opted_out',
    '/to/2 premium_number',
  ])
  expect(answer.body.detail).toMatch(/Nothing was sent\.$/)
  expect((await api.request('GET', '/api/v1/balance')).body.available).toBe(1000 - 6)
})

test('without any enabled device there is no sender', async () => {
  const bare = await startTestApi({
    routing: { enabled: false, online: false, maxParts: 0 },
  })
  const answer = await bare.send({ to, text: 'x'.repeat(500) })
  expect(answer).toMatchObject({ status: 503, body: { code: 'no_sender_available' } })
  expect(answer.headers.get('retry-after')).toBe('30')
  expect(told(await bare.send({ to, text: 'x', dry_run: true }))).toEqual([503, 'no_sender_available'])
  await bare.close()
})

test('with a sender only the devices that can use it count: their parts, and whether one is online', async () => {
  const asked: (string | null)[] = []
  const pinned = await startTestApi({
    ports: {
      routing: {
        forAccount: (_accountId, _mode, sender) => {
          asked.push(sender)
          return sender === null ? workingRouting : { ...workingRouting, maxParts: 3, online: false }
        },
      },
    },
  })
  const long = { to, text: 'x'.repeat(500), dry_run: true }
  expect(await pinned.send(long)).toMatchObject({ status: 200, body: { warnings: [] } })
  expect(await pinned.send({ ...long, from: null })).toMatchObject({ status: 200 })
  expect(await pinned.send({ ...long, from: 'Onesixty' })).toMatchObject({
    status: 422,
    body: {
      errors: [
        {
          code: 'message_too_long',
          detail: 'The message needs 4 parts, and no device can send more than 3.',
        },
      ],
    },
  })
  expect(await pinned.send({ to, text: 'x', from: 'Onesixty', dry_run: true })).toMatchObject({
    status: 200,
    body: { warnings: [{ code: 'no_device_online' }] },
  })
  expect((await pinned.send({ ...long, from: 7 })).status).toBe(422)
  expect(asked).toEqual([null, null, 'Onesixty', 'Onesixty', null])
  await pinned.close()
})

test('an encoding that only phones stand in the way of is named, with what to do', async () => {
  const phones = await startTestApi({
    ports: {
      routing: {
        forAccount: (_accountId, _mode, _sender, encodingForced) =>
          encodingForced ? { ...workingRouting, enabled: false, online: false, maxParts: 0 } : workingRouting,
      },
    },
  })
  const forced = { to, text: 'x', encoding: 'ucs2', dry_run: true }
  expect(told(await phones.send(forced))).toEqual([
    422,
    'validation_failed',
    '/encoding encoding_not_available',
  ])
  expect((await phones.send({ ...forced, text: 'Ж' })).status).toBe(200)
  expect((await phones.send({ ...forced, encoding: 'auto' })).status).toBe(200)
  await phones.close()
})

test('codes to one number count together, however it is spelled', async () => {
  const code = (number: string) => api.send({ to: number, text: 'Code', category: 'authentication' })
  for (const number of [
    '+541123456780',
    '+5491123456780',
    '+541123456780',
    '+5491123456780',
    '+541123456780',
  ])
    expect((await code(number)).status).toBe(202)
  for (const number of ['+541123456780', '+5491123456780']) expect((await code(number)).status).toBe(429)
})

test('one number gets at most five authentication messages in ten minutes, whatever its other messages', async () => {
  const code = (number: string | string[], more: object = {}) =>
    api.send({ to: number, text: 'Code', category: 'authentication', ...more })
  for (let i = 0; i < 5; i++) {
    expect((await code('+4915112341111')).status).toBe(202)
    await api.clock.advance(60_000)
  }
  const refused = await code([to, '+4915112341111'])
  expect(told(refused)).toEqual([429, 'recipient_rate_limited', '/to/1 recipient_rate_limited'])
  expect(refused.headers.get('retry-after')).toBe('300')
  expect(told(await code('+4915112341111', { dry_run: true }))).toEqual([
    429,
    'recipient_rate_limited',
    '/to recipient_rate_limited',
  ])
  expect((await api.send({ to: '+4915112341111', text: 'News' })).status).toBe(202)
  expect((await code('+4915112341111', { dry_run: true })).status, 'modes count apart').toBe(429)
  expect(
    (
      await api.send(
        { to: '+4915112341111', text: 'Code', category: 'authentication', dry_run: true },
        { key: api.account.liveKey },
      )
    ).status,
  ).toBe(200)
  await api.clock.advance(300_000)
  expect((await code('+4915112341111')).status).toBe(202)
  expect((await code('+4915112341111')).status).toBe(429)
})

test('codes that are scheduled for one time are as few as those of ten minutes, however long before they are accepted', async () => {
  const number = '+4915112343333'
  const startMs = api.clock.now() + 86_400_000
  const code = (minutes: number, more: object = {}, key = api.account.testKey) => {
    const send_at = new Date(startMs + minutes * 60_000).toISOString()
    return api.send({ to: number, text: 'Code', category: 'authentication', send_at, ...more }, { key })
  }
  for (let i = 0; i < 5; i++) expect((await code(i)).status).toBe(202)
  await api.clock.advance(600_000)
  const refused = await code(9)
  expect(told(refused)).toEqual([429, 'recipient_rate_limited', '/to recipient_rate_limited'])
  expect(refused.body.violated_policies).toEqual(['authentication-messages'])
  // When the ten minutes have passed that began with the first of them.
  expect(refused.headers.get('retry-after')).toBe('86400')
  for (const minutes of [-5, 0, 4.5]) expect((await code(minutes)).status, `${minutes}`).toBe(429)
  expect((await code(4, { dry_run: true })).status).toBe(429)
  expect((await code(10)).status).toBe(202)
  expect((await code(-6)).status).toBe(202)
  expect((await code(0, { category: 'transactional' })).status).toBe(202)
  expect((await code(0, { dry_run: true }, api.account.liveKey)).status, 'modes count apart').toBe(200)
})

test('what was not sent does not count: refusals, repetitions and dry runs', async () => {
  const number = '+4915112342222'
  const body = { to: number, text: 'Code', category: 'authentication' }
  const options = { headers: { 'idempotency-key': 'same' } }
  for (let i = 0; i < 8; i++) expect((await api.send({ ...body, dry_run: true })).status).toBe(200)
  for (let i = 0; i < 8; i++) expect((await api.send(body, options)).status).toBe(202)
  const unaffordable = { ...body, to: [number, to], text: 'x'.repeat(1400) }
  for (let i = 0; i < 8; i++)
    expect((await api.send(unaffordable, { key: api.account.liveKey })).status).toBe(402)
  expect((await api.send({ ...body, dry_run: true }, { key: api.account.liveKey })).status).toBe(200)
  for (let i = 0; i < 4; i++) expect((await api.send(body)).status).toBe(202)
  expect((await api.send(body)).status).toBe(429)
})

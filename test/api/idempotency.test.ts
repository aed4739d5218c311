import { afterAll, beforeAll, expect, test } from 'vitest'
import { fingerprintOf } from '../../src/sending/idempotency.ts'
import type { Routing } from '../../src/dispatch/devices/routing.ts'
import { rawRequest, rawSend } from './raw-request.ts'
import { startTestApi, type TestAnswer, type TestApi, workingRouting } from './start-test-api.ts'

let api: TestApi
let routing: Routing = workingRouting
beforeAll(async () => {
  api = await startTestApi({
    config: { sendPerMinute: 0 },
    ports: { routing: { forAccount: () => routing } },
  })
})
afterAll(() => api.close())

const to = '+4915112345678'
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const available = async (): Promise<number> => (await api.request('GET', '/api/v1/balance')).body.available

test('the same key and body give the first answer again, and one message', async () => {
  const body = {
    to: [to, '+4915112345679'],
    text: 'Hi – “you”',
    metadata: { b: '1', a: '2' },
    client_reference: 'r',
  }
  const before = await available()
  const first = await api.send(body, withKey('again'))
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([202, null])
  await api.clock.advance(60_000)
  const second = await api.send(body, withKey('again'))
  expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([202, 'true'])
  expect(second.body).toEqual(first.body)
  expect(await available()).toBe(before - 2)
})

test('what has become of the messages since, and erased texts, do not change the rest of the answer', async () => {
  const first = await api.send({ to, text: 'secret' }, withKey('erased'))
  await api.storage.writer.write((tx) =>
    tx
      .updateTable('messages')
      .set({
        status: 'delivered',
        text: null,
        text_redacted: 1,
        parts_sent: 1,
        charged: 1,
        cost_state: 'charged',
        finalized_at: 1,
        settled_at: 1,
        updated_at: 1,
      })
      .where('id', '=', first.body.messages[0].id)
      .execute(),
  )
  const second = await api.send({ to, text: 'secret' }, withKey('erased'))
  expect(second.body).toEqual({
    ...first.body,
    content: { ...first.body.content, text: null },
    messages: [{ ...first.body.messages[0], text: null, text_redacted: true }],
  })
})

test('the order of members and white space do not make another body; anything else does', async () => {
  await api.send({ to, text: 'x', metadata: { a: '1', b: '2' } }, withKey('spelling'))
  const spelled = (body: string) =>
    api.request('POST', '/api/v1/send', {
      body,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'spelling' },
    })
  const same = await spelled(`{ "metadata": {"b": "2", "\\u0061": "1"},\n"text": "x", "to": "${to}" }`)
  expect([same.status, same.headers.get('idempotent-replayed')]).toEqual([202, 'true'])
  for (const body of [
    { to, text: 'y', metadata: { a: '1', b: '2' } },
    { to, text: 'x', metadata: { a: '1', b: '2' }, category: 'transactional' },
    { to: [to], text: 'x', metadata: { a: '1', b: '2' } },
  ]) {
    expect(await api.send(body, withKey('spelling'))).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    })
  }
  expect(fingerprintOf({ a: 1.0, b: [1, 'x'], c: { z: null, y: true } })).toBe(
    fingerprintOf({ c: { y: true, z: null }, b: [1, 'x'], a: 1 }),
  )
  expect(fingerprintOf({ a: ['1', '2'] })).not.toBe(fingerprintOf({ a: ['1,2'] }))
})

test('what was stored comes before any fault of the repetition', async () => {
  const options = withKey('stored first')
  const bad = { headers: { 'idempotency-key': 'stored-first' } }
  expect((await api.send({ to, text: 'x' }, options)).status).toBe(400)
  await api.send({ to, text: 'x', from: 'Onesixty' }, bad)
  expect((await api.send({ to: 'nonsense' }, bad)).body.code).toBe('idempotency_key_reused')
  routing = { ...workingRouting, enabled: false }
  const repeated = await api.send({ to, text: 'x', from: 'Onesixty' }, bad)
  routing = workingRouting
  expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([202, 'true'])
})

test('a refused send leaves its key free', async () => {
  const options = { key: api.account.liveKey, ...withKey('free') }
  const body = { to, text: 'x'.repeat(1600) }
  expect((await api.send(body, options)).status).toBe(422)
  expect((await api.send({ to: [to, '+4915112345679'], text: 'x'.repeat(1000) }, options)).status).toBe(402)
  const accepted = await api.send({ to, text: 'x' }, options)
  expect([accepted.status, accepted.headers.get('idempotent-replayed')]).toEqual([202, null])
})

test('a key belongs to its account and mode', async () => {
  const body = { to, text: 'x' }
  const play = await api.send(body, withKey('scope'))
  const live = await api.send(body, { key: api.account.liveKey, ...withKey('scope') })
  expect([play.status, live.status, live.headers.get('idempotent-replayed')]).toEqual([202, 202, null])
})

test('fifty at once with one key make one message: the others are told to come back or get the same answer', async () => {
  const before = await available()
  const body = { to, text: 'once' }
  const answers = await Promise.all(Array.from({ length: 50 }, () => api.send(body, withKey('storm'))))
  const accepted = answers.filter(({ status }) => status === 202)
  const waiting = answers.filter(({ status }) => status === 409)
  expect(accepted.length + waiting.length).toBe(50)
  expect(new Set(accepted.map(({ text }) => text)).size).toBe(1)
  expect(accepted.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
  for (const answer of waiting) {
    expect(answer.body.code).toBe('idempotency_in_progress')
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  expect(await available()).toBe(before - 1)
})

test('while the first is under way a second one is 409, with another body too, and afterwards the key answers', async () => {
  let finish = (): void => undefined
  const slow = await startTestApi({
    ports: {
      store: () =>
        new Promise(
          (resolve) =>
            (finish = () =>
              resolve({
                kind: 'accepted',
                balanceAvailable: 1,
                isLow: false,
                place: { number: 1, index: 0, createdMs: 1, nowMs: 1 },
              })),
        ),
      findReplay: async () => null,
    },
  })
  const first = slow.send({ to, text: 'x' }, withKey('k'))
  const untilBusy = async (): Promise<TestAnswer> => {
    const answer = await slow.send({ to, text: '' }, withKey('k'))
    return answer.status === 409 ? answer : untilBusy()
  }
  expect((await untilBusy()).body.code).toBe('idempotency_in_progress')
  finish()
  expect((await first).status).toBe(202)
  expect((await slow.send({ to, text: '' }, withKey('k'))).status).toBe(422)
  await slow.close()
})

test('a key is 1 to 255 visible ASCII characters, bare or quoted, and both spellings are one key', async () => {
  const body = JSON.stringify({ to, text: 'key' })
  const send = (header: string) =>
    rawRequest(api.port, rawSend(api.account.testKey, body, `Idempotency-Key: ${header}\r\n`))
  for (const header of [
    '',
    '""',
    '"',
    'two words',
    '"two words"',
    'ümlaut',
    '"open',
    'x'.repeat(256),
    `"${'x'.repeat(256)}"`,
    'a\tb',
    '"a"b"',
    '"a\\b"',
    'a\r\nIdempotency-Key: b',
  ]) {
    const answer = await send(header)
    expect([answer.status, answer.json.code], header).toEqual([400, 'invalid_header'])
  }
  for (const header of [
    'x',
    '"quoted"',
    'quoted',
    '"a\\"b\\\\c"',
    'x'.repeat(255),
    `"${'y'.repeat(255)}"`,
    '8e03978e-40d5-43e8-bc93-6894a57f9324',
    "!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
  ]) {
    expect((await send(header)).status, header).toBe(202)
  }
  expect((await send('quoted')).headers['idempotent-replayed']).toBe('true')
})

import { Compile } from 'typebox/compile'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renderAccepted } from '../../src/api/v1/message-view.ts'
import { SendSchema, writeSendAnswer } from '../../src/api/v1/send-answer.ts'
import { sendBodyExamples, sendExample } from '../../src/api/v1/send-examples.ts'
import type { SendRequest } from '../../src/messages/send/send-request.ts'
import { scalarValue } from '../scalar-value.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({ config: { sendPerMinute: 0 } })
})
afterAll(() => api.close())

const to = '+4915112345678'
const isSend = Compile(SendSchema)

test('a number and a text are enough', async () => {
  const answer = await api.send({ to, text: 'Hello' })
  expect(answer.status).toBe(202)
  const { body } = answer
  expect(body.id).toMatch(/^snd_/)
  expect(body).toEqual({
    object: 'send',
    id: body.id,
    mode: 'test',
    dry_run: false,
    created_at: '2026-11-21T09:30:00.000Z',
    content: { text: 'Hello', encoding: 'gsm7', units: 5, parts: 1, smart_encoding_applied: false },
    totals: { recipients: 1, parts: 1, balance_available: 999 },
    warnings: [],
    messages: [
      {
        ...sendExample.messages[0],
        id: body.messages[0].id,
        send_id: body.id,
        mode: 'test',
        to,
        country: 'DE',
        text: 'Hello',
        encoding: 'gsm7',
        units: 5,
      },
    ],
  })
  expect(Object.keys(body.messages[0])).toEqual(Object.keys(sendExample.messages[0] ?? {}))
})

test('everything that is asked for is echoed, and history shows the same message', async () => {
  const answer = await api.send({
    to,
    text: 'Código 1',
    from: '+4915199990001',
    category: 'authentication',
    encoding: 'ucs2',
    validity_period: 61,
    client_reference: 'ref "1"',
    metadata: { shop: 'berlin', 'a.b-c_1': 'ä"\\' },
    on_unknown: 'resend_once',
    max_parts: 1,
    smart_encoding: true,
    dry_run: false,
  })
  expect(answer.status).toBe(202)
  const [message] = answer.body.messages
  expect(message).toMatchObject({
    from: '+4915199990001',
    category: 'authentication',
    encoding: 'ucs2',
    client_reference: 'ref "1"',
    metadata: { shop: 'berlin', 'a.b-c_1': 'ä"\\' },
    expires_at: '2026-11-21T09:31:01.000Z',
  })
  await api.clock.advance(1)
  const history = await api.request('GET', `/api/v1/history?id=${message.id}`)
  expect(history.body.data).toEqual([message])
})

test('a hundred recipients get a message each, in their order, for the sum of their parts', async () => {
  const numbers = Array.from({ length: 100 }, (_, i) => `+49151123456${String(i).padStart(2, '0')}`)
  const before = (await api.request('GET', '/api/v1/balance')).body.available
  const answer = await api.send({ to: numbers, text: 'x'.repeat(161) })
  expect(answer.body.messages.map((message: { to: string }) => message.to)).toEqual(numbers)
  expect(new Set(answer.body.messages.map((message: { id: string }) => message.id)).size).toBe(100)
  expect(answer.body.totals).toEqual({ recipients: 100, parts: 200, balance_available: before - 200 })
  expect(isSend.Check(answer.body)).toBe(true)
})

test('the default validity follows the category', async () => {
  const expiry = async (category: string) =>
    (await api.send({ to, text: 'x', category, dry_run: true })).body.messages[0].expires_at
  const created = api.clock.now()
  const seconds = async (category: string) => (Date.parse(await expiry(category)) - created) / 1000
  expect([
    await seconds('authentication'),
    await seconds('transactional'),
    await seconds('marketing'),
  ]).toEqual([600, 86_400, 86_400])
})

test('the text is normalised: NFC, and LF for CRLF', async () => {
  const answer = await api.send({ to, text: 'Cafe\u0301\r\nok', dry_run: true })
  expect(answer.body.content).toMatchObject({ text: 'Café\nok', encoding: 'gsm7', units: 7 })
})

test('a dry run checks and prices everything, answers 200 and stores nothing', async () => {
  const before = (await api.request('GET', '/api/v1/balance')).body
  const answer = await api.send(
    { to, text: '€'.repeat(153), dry_run: true },
    { headers: { 'idempotency-key': 'dry' } },
  )
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    dry_run: true,
    content: { parts: 3, units: 306 },
    totals: { parts: 3, balance_available: before.available - 3 },
  })
  expect(isSend.Check(answer.body)).toBe(true)
  expect((await api.request('GET', '/api/v1/balance')).body).toEqual(before)
  await api.clock.advance(1)
  expect((await api.request('GET', `/api/v1/history?id=${answer.body.messages[0].id}`)).body.data).toEqual([])
  const real = await api.send({ to, text: 'another body' }, { headers: { 'idempotency-key': 'dry' } })
  expect([real.status, real.headers.get('idempotent-replayed')]).toEqual([202, null])
})

test('a dry run is refused for money and queue like a send', async () => {
  const poor = await startTestApi({ config: { playSms: 2, queueLimit: 2 } })
  const dry = (body: object) => poor.send({ text: 'x', ...body, dry_run: true })
  expect((await dry({ to, text: 'x'.repeat(400) })).body).toMatchObject({
    status: 402,
    code: 'insufficient_balance',
    required: 3,
    available: 2,
  })
  expect((await dry({ to: [to, '+4915112345679', '+4915112345670'] })).body).toMatchObject({
    status: 429,
    code: 'queue_full',
  })
  expect((await dry({ to })).status).toBe(200)
  await poor.close()
})

test('an empty wallet is told what is required and what is there, and the refusal says that nothing was sent', async () => {
  const poor = await startTestApi({ config: { playSms: 2 } })
  const answer = await poor.send({ to: [to, '+4915112345679'], text: 'x'.repeat(161) })
  expect(answer.status).toBe(402)
  expect(answer.body).toEqual({
    required: 4,
    available: 2,
    type: 'https://sms.example.org/docs/problems/insufficient_balance',
    title: 'The balance does not cover this send.',
    status: 402,
    code: 'insufficient_balance',
    detail: '4 SMS required, 2 available. Nothing was sent.',
    request_id: answer.headers.get('request-id'),
  })
  expect((await poor.request('GET', '/api/v1/balance')).body).toMatchObject({ available: 2, reserved: 0 })
  await poor.close()
})

test.each(['status', 'balance'])('%s takes no parameter', async (operation) => {
  const asked = await api.request('GET', `/api/v1/${operation}?mode=live`)
  expect(asked).toMatchObject({
    status: 400,
    body: { code: 'invalid_query', errors: [{ parameter: 'mode' }] },
  })
})

test('the send operation takes no query', async () => {
  const answer = await api.request('POST', '/api/v1/send?dry_run=true&x', {
    body: JSON.stringify({ to, text: 'x' }),
    headers: { 'content-type': 'application/json' },
  })
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_query' } })
  expect(
    answer.body.errors.map((fault: { parameter: string; code: string }) => [fault.parameter, fault.code]),
  ).toEqual([
    ['dry_run', 'unknown_parameter'],
    ['x', 'unknown_parameter'],
  ])
})

test('the examples of the reference are true', async () => {
  for (const [name, { value }] of Object.entries(sendBodyExamples)) {
    expect((await api.send({ ...value, dry_run: true })).status, name).toBe(200)
  }
  expect(isSend.Check(sendExample)).toBe(true)
  const { body } = await api.send(sendBodyExamples.shortest.value)
  expect(body.content).toEqual(sendExample.content)
  expect(body.warnings).toEqual(sendExample.warnings)
})

test('the hand-written answer says what the rendered messages say, whatever stands in them', () => {
  const text = fc.string({ unit: scalarValue })
  const send = fc.record({
    text,
    from: fc.option(text),
    clientReference: fc.option(text),
    metadata: fc
      .dictionary(fc.stringMatching(/^[A-Za-z0-9_.-]{1,40}$/), text)
      .map((value) => JSON.stringify(value)),
    recipients: fc.array(
      fc.record({
        to: fc.stringMatching(/^\+[1-9][0-9]{6,14}$/),
        country: fc.option(fc.constantFrom('DE', 'XK')),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    parts: fc.integer({ min: 1, max: 10 }),
    isLow: fc.boolean(),
    dryRun: fc.boolean(),
  })
  fc.assert(
    fc.property(send, ({ isLow, dryRun, ...some }) => {
      const request: SendRequest = {
        sendId: api.ids('snd'),
        messageIds: some.recipients.map(() => api.ids('msg')),
        accountId: 'acc_1',
        mode: 'live',
        keyId: 'key_1',
        dailyCap: null,
        queueLimit: 0,
        createdAt: 1_795_000_000_000,
        idempotency: null,
        category: 'marketing',
        encoding: 'ucs2',
        units: 7,
        smartEncodingApplied: true,
        onUnknown: 'stop',
        expiresAt: 1_795_000_600_000,
        warnings: [{ code: 'simulated', message: '"' }],
        lowBalanceWarning: { code: 'low_balance', message: '\u2028' },
        ...some,
      }
      const said = JSON.parse(
        writeSendAnswer(
          request,
          dryRun,
        )({
          balanceAvailable: 3,
          isLow,
          sendId: request.sendId,
          messageIds: request.messageIds,
          acceptedAt: request.createdAt,
          dueAt: request.createdAt,
          updatedAt: request.createdAt,
        }),
      ) as object
      expect(said).toEqual({
        object: 'send',
        id: request.sendId,
        mode: 'live',
        dry_run: dryRun,
        created_at: new Date(request.createdAt).toISOString(),
        content: {
          text: some.text,
          encoding: 'ucs2',
          units: 7,
          parts: some.parts,
          smart_encoding_applied: true,
        },
        totals: {
          recipients: some.recipients.length,
          parts: some.recipients.length * some.parts,
          balance_available: 3,
        },
        warnings: [
          { code: 'simulated', message: '"' },
          ...(isLow ? [{ code: 'low_balance', message: '\u2028' }] : []),
        ],
        messages: JSON.parse(JSON.stringify(renderAccepted(request))) as unknown,
      })
    }),
  )
})

test('that an encoding was asked for is stored with the message: another device must not choose for itself', async () => {
  const forcedOf = async (body: object) => {
    const answer = await api.send({ to, text: 'Hello', ...body })
    const { encoding_forced } = await api.storage.read
      .selectFrom('messages')
      .select('encoding_forced')
      .where('id', '=', answer.body.messages[0].id)
      .executeTakeFirstOrThrow()
    return encoding_forced
  }
  expect([await forcedOf({}), await forcedOf({ encoding: 'ucs2' })]).toEqual([0, 1])
})

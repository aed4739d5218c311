import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Routing } from '../../src/dispatch/routing.ts'
import { startTestApi, type TestApi, workingRouting } from './start-test-api.ts'

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
type Warning = { code: string }

async function warningsOf(
  body: object,
  key = api.account.testKey,
  devices: Partial<Routing> = {},
): Promise<Warning[]> {
  routing = { ...workingRouting, ...devices }
  const answer = await api.send({ to, text: 'x', dry_run: true, ...body }, { key })
  expect(answer.status).toBe(200)
  return answer.body.warnings
}
const codes = (warnings: Warning[]) => warnings.map(({ code }) => code)

test('a send without anything remarkable has no warnings', async () => {
  expect(await warningsOf({})).toEqual([])
})

test('characters outside the GSM alphabet are listed with what they cost', async () => {
  expect(await warningsOf({ text: `${'x'.repeat(100)}–’` })).toEqual([
    {
      code: 'unicode_encoding',
      message: '2 characters are outside the GSM alphabet.',
      parts_if_gsm7: 1,
      offending: [
        { character: '–', code_point: 'U+2013', index: 100, count: 1, replacement: '-' },
        { character: '’', code_point: 'U+2019', index: 101, count: 1, replacement: "'" },
      ],
    },
  ])
  expect(await warningsOf({ text: 'ç' })).toMatchObject([
    { message: '1 character is outside the GSM alphabet.', parts_if_gsm7: null },
  ])
  expect(await warningsOf({ text: 'ç', encoding: 'ucs2' })).toEqual([])
})

test('smart encoding tells what it saved, and is left alone when it saves nothing', async () => {
  const text = `“${'x'.repeat(80)}”`
  routing = workingRouting
  const answer = await api.send({ to, text, smart_encoding: true, dry_run: true })
  expect(answer.body.content).toEqual({
    text: `"${'x'.repeat(80)}"`,
    encoding: 'gsm7',
    units: 82,
    parts: 1,
    smart_encoding_applied: true,
  })
  expect(answer.body.warnings).toEqual([
    {
      code: 'shortened_by_smart_encoding',
      message: 'Look-alike characters were replaced: 1 instead of 2 parts.',
      parts_without: 2,
    },
  ])
  expect(codes(await warningsOf({ text: '“x”', smart_encoding: true }))).toEqual(['unicode_encoding'])
  expect(codes(await warningsOf({ text: `${text}ç`, smart_encoding: true }))).toEqual(['unicode_encoding'])
})

test('with gsm7, smart encoding replaces what would otherwise be refused', async () => {
  routing = workingRouting
  const answer = await api.send({
    to,
    text: 'Hi – it’s',
    encoding: 'gsm7',
    smart_encoding: true,
    dry_run: true,
  })
  expect(answer.body.content).toMatchObject({
    text: "Hi - it's",
    encoding: 'gsm7',
    smart_encoding_applied: true,
  })
  expect(answer.body.warnings).toEqual([])
})

test('devices that are away, slow, or only phones are told of', async () => {
  expect(codes(await warningsOf({}, undefined, { online: false, estimatedWaitSeconds: null }))).toEqual([
    'no_device_online',
  ])
  expect(await warningsOf({ validity_period: 60 }, undefined, { estimatedWaitSeconds: 61 })).toMatchObject([
    { code: 'validity_shorter_than_queue', estimated_wait_seconds: 61 },
  ])
  expect(await warningsOf({ validity_period: 61 }, undefined, { estimatedWaitSeconds: 61 })).toEqual([])
  expect(codes(await warningsOf({ on_unknown: 'resend_once' }, undefined, { phonesOnly: true }))).toEqual([
    'resend_not_possible',
  ])
  expect(await warningsOf({ on_unknown: 'resend_once' })).toEqual([])
})

test('with a live key a simulator is told of, with a test key it is no surprise', async () => {
  expect(codes(await warningsOf({}, api.account.liveKey, { simulated: true }))).toEqual(['simulated'])
  expect(await warningsOf({}, api.account.liveKey, { simulated: false })).toEqual([])
  expect(await warningsOf({}, api.account.testKey, { simulated: true })).toEqual([])
})

test('numbers that are certainly not mobile are pointed at', async () => {
  expect(await warningsOf({ to: ['+4930123456', to, '+442071838750'] })).toMatchObject([
    { code: 'recipient_not_known_mobile', pointers: ['/to/0', '/to/2'] },
  ])
  expect(await warningsOf({ to: '+4930123456' })).toMatchObject([{ pointers: ['/to'] }])
})

test('a balance that becomes low is told of, in the first answer and in its repetition alike', async () => {
  routing = workingRouting
  const options = { key: api.account.liveKey, headers: { 'idempotency-key': 'low' } }
  const four = { to: [to, '+4915112345670', '+4915112345671', '+4915112345672'], text: 'x' }
  expect(
    (await api.send(four, { key: api.account.liveKey })).body.warnings.map(
      (warning: Warning) => warning.code,
    ),
  ).toEqual(['simulated'])
  const low = await api.send({ to, text: 'x' }, options)
  expect(low.body).toMatchObject({
    totals: { balance_available: 5 },
    warnings: [{ code: 'simulated' }, { code: 'low_balance' }],
  })
  const repeated = await api.send({ to, text: 'x' }, options)
  expect(repeated.body).toEqual(low.body)
})

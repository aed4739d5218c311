import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WarningSchema } from '../../src/api/v1/warning-schema.ts'
import type { Routing } from '../../src/dispatch/devices/routing.ts'
import { startTestApi, type TestApi, workingRouting } from './start-test-api.ts'

let api: TestApi
let routing: Routing = workingRouting
const documented = Compile(WarningSchema)
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
  for (const warning of answer.body.warnings) expectDocumented(warning)
  return answer.body.warnings
}
/** The reference allows further members, for codes to come; those of today it names. */
function expectDocumented(warning: object): void {
  expect([...documented.Errors(warning)]).toEqual([])
  expect(Object.keys(WarningSchema.properties)).toEqual(expect.arrayContaining(Object.keys(warning)))
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
  for (const warning of answer.body.warnings) expectDocumented(warning)
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
  expect(codes(await warningsOf({}, undefined, { online: false }))).toEqual(['no_device_online'])
  const paces = [{ partsPerWindow: 1, windowSeconds: 61, remaining: 0, resetsAt: null }]
  expect(await warningsOf({ validity_period: 60 }, undefined, { paces })).toMatchObject([
    { code: 'validity_shorter_than_queue', estimated_wait_seconds: 61 },
  ])
  expect(await warningsOf({ validity_period: 61 }, undefined, { paces })).toEqual([])
  expect(codes(await warningsOf({ on_unknown: 'resend_once' }, undefined, { phonesOnly: true }))).toEqual([
    'resend_not_possible',
  ])
  expect(await warningsOf({ on_unknown: 'resend_once' })).toEqual([])
})

test('a validity that ends before the queue can have gone is told of, however free the device is just now', async () => {
  const paces = [{ partsPerWindow: 30, windowSeconds: 1_800, remaining: 30, resetsAt: null }]
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => `+49151${20_000_000 + i}`)
  const warned = async (validitySeconds: number, count: number) =>
    (
      await warningsOf({ to: numbers(count), validity_period: validitySeconds }, undefined, {
        paces,
      })
    ).find(({ code }) => code === 'validity_shorter_than_queue')
  expect(await warned(600, 30)).toBeUndefined()
  expect(await warned(600, 31)).toMatchObject({ estimated_wait_seconds: 1_800 })
  expect(await warned(1_800, 31)).toBeUndefined()

  routing = workingRouting
  for (let i = 0; i < 3; i++) expect((await api.send({ to: numbers(20), text: 'x' })).status).toBe(202)
  expect(await warned(600, 1)).toMatchObject({ estimated_wait_seconds: 3_600 })
  expect(await warned(3_600, 30)).toBeUndefined()
  expect(await warned(3_600, 31)).toMatchObject({ estimated_wait_seconds: 5_400 })
  // The other mode has a queue of its own.
  const live = { paces, simulated: false }
  expect(await warningsOf({ to: numbers(4), validity_period: 60 }, api.account.liveKey, live)).toEqual([])
})

test('a code that ends before a phone without an event stream asks for messages is told of, with its 15 minutes', async () => {
  const ofOwn = [
    { partsPerWindow: 1_000, windowSeconds: 1_800, remaining: 1_000, resetsAt: null, pickUpSeconds: 900 },
  ]
  for (const paces of [ofOwn, null]) {
    const devices = { paces, pickUpSeconds: 900 }
    expect(await warningsOf({ category: 'authentication' }, undefined, devices)).toEqual([
      {
        code: 'validity_shorter_than_queue',
        message:
          'The messages may expire before they are submitted: at the speed of your devices, the last one is submitted within 900 s.',
        estimated_wait_seconds: 900,
      },
    ])
    expect(await warningsOf({ validity_period: 900 }, undefined, devices)).toEqual([])
    const sendAt = new Date(Date.now() + 60_000).toISOString()
    expect(await warningsOf({ validity_period: 60, send_at: sendAt }, undefined, devices)).toEqual([])
  }
})

test('a queue that would take longer than any validity is told of without a number', async () => {
  const paces = [{ partsPerWindow: 1, windowSeconds: 259_200, remaining: 0, resetsAt: null }]
  const two = { to: [to, '+4915112345670'], validity_period: 259_200 }
  expect(await warningsOf(two, api.account.liveKey, { paces, simulated: false })).toMatchObject([
    { code: 'validity_shorter_than_queue', estimated_wait_seconds: null },
  ])
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
  expect(await warningsOf({ to: '+15005550006' }), 'a number that plays a network').toEqual([])
})

test('numbers that are longer than their plan knows, as those of machines, go with a warning', async () => {
  expect(await warningsOf({ to: ['+47580009083060', to, '+371300000000012'] })).toEqual([
    {
      code: 'recipient_longer_than_plan',
      message: 'Some numbers have more digits than any known number of their country, and may not exist.',
      pointers: ['/to/0', '/to/2'],
    },
  ])
  expect(await warningsOf({ to: '+337000011564653' })).toMatchObject([{ pointers: ['/to'] }])
})

test('a mobile number in a former spelling that networks may take goes as it is, with the present one beside it', async () => {
  const warnings = await warningsOf({ to: [to, '+551198765432', '+541123456789', '+5511998765433'] })
  expect(warnings).toMatchObject([
    { code: 'recipient_not_known_mobile', pointers: ['/to/2'] },
    {
      code: 'recipient_former_spelling',
      pointers: ['/to/1'],
      suggestions: ['+5511998765432'],
    },
  ])
})

test('a number of Argentina without the 9 may be a fixed line: no mobile number is suggested for it', async () => {
  const warnings = await warningsOf({ to: '+541143210000' })
  expect(warnings).toMatchObject([{ code: 'recipient_not_known_mobile', pointers: ['/to'] }])
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

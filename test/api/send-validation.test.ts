import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi, type TestAnswer } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({ config: { sendPerMinute: 0 }, routing: { maxParts: 8 } })
})
afterAll(() => api.close())

const to = '+4915112345678'
type Named = { pointer: string; code: string; suggestion?: string }

/** Pointers and codes of the faults of a body, each with its suggestion when it has one. */
async function faultsOf(body: object): Promise<(string | undefined)[][]> {
  const answer: TestAnswer = await api.send(body)
  expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ status: 422, code: 'validation_failed' })
  expect(answer.body.detail).toMatch(/Nothing was sent\.$/)
  return answer.body.errors.map((fault: Named) =>
    fault.suggestion === undefined
      ? [fault.pointer, fault.code]
      : [fault.pointer, fault.code, fault.suggestion],
  )
}

test('a number in a spelling that its country has given up is refused with the present one, and two spellings are one recipient', async () => {
  const numbers = ['+5215512345678', '+22507123456', '+541123456789', '+5491123456789']
  expect(await faultsOf({ to: numbers, text: 'x' })).toEqual([
    ['/to/0', 'invalid_number', '+525512345678'],
    ['/to/1', 'invalid_number', '+2250707123456'],
    ['/to/3', 'duplicate_recipient'],
  ])
})

test('what is required is asked for', async () => {
  expect(await faultsOf({})).toEqual([
    ['/to', 'required'],
    ['/text', 'required'],
  ])
})

test('an unknown field is refused and suggests the nearest known one', async () => {
  expect(
    await faultsOf({
      to,
      text: 'x',
      txt: 'x',
      validty_period: 60,
      'client-reference': 'x',
      'a/b~c': 1,
      sent_at: '2026-11-22T09:30:00Z',
    }),
  ).toEqual([
    ['/txt', 'unknown_field', 'text'],
    ['/validty_period', 'unknown_field', 'validity_period'],
    ['/client-reference', 'unknown_field', 'client_reference'],
    ['/a~1b~0c', 'unknown_field'],
    ['/sent_at', 'unknown_field', 'send_at'],
  ])
})

test.for([
  ['Body', 'text'],
  ['message', 'text'],
  ['phone_number', 'to'],
  ['phoneNumbers', 'to'],
  ['recipients', 'to'],
  ['originator', 'from'],
  ['sender_id', 'from'],
  ['scheduled_at', 'send_at'],
  ['ttl', 'validity_period'],
])('a member as another interface calls it is refused, with ours: %s', async ([theirs = '', ours]) => {
  expect(await faultsOf({ to, text: 'x', [theirs]: 'x' })).toEqual([[`/${theirs}`, 'unknown_field', ours]])
})

test('no value is turned into another type', async () => {
  const body = {
    to: 4915112345678,
    text: 5,
    from: 1,
    category: null,
    encoding: true,
    smart_encoding: 'true',
    max_parts: '1',
    validity_period: 60.5,
    client_reference: 7,
    metadata: [],
    on_unknown: 0,
    dry_run: 1,
  }
  expect(await faultsOf(body)).toEqual(Object.keys(body).map((name) => [`/${name}`, 'wrong_type']))
  expect(await faultsOf({ to: [to, 5, null, [to]], text: 'x', metadata: { a: 1, b: null } })).toEqual([
    ['/to/1', 'wrong_type'],
    ['/to/2', 'wrong_type'],
    ['/to/3', 'wrong_type'],
    ['/metadata/a', 'wrong_type'],
    ['/metadata/b', 'wrong_type'],
  ])
})

test('null stands for not given where the answer would say null', async () => {
  expect((await api.send({ to, text: 'x', from: null, client_reference: null, dry_run: true })).status).toBe(
    200,
  )
})

test('bounds are kept on both sides', async () => {
  const long = 'x'.repeat(101)
  expect(
    await faultsOf({ to: [], text: '', client_reference: '', max_parts: 0, validity_period: 59 }),
  ).toEqual([
    ['/to', 'too_short'],
    ['/text', 'too_short'],
    ['/client_reference', 'too_short'],
    ['/max_parts', 'out_of_range'],
    ['/validity_period', 'out_of_range'],
  ])
  expect(
    await faultsOf({
      to: Array.from({ length: 101 }, () => to),
      text: 'x'.repeat(2001),
      client_reference: long,
      max_parts: 11,
      validity_period: 259_201,
    }),
  ).toEqual([
    ['/to', 'too_many_items'],
    ['/text', 'too_long'],
    ['/client_reference', 'too_long'],
    ['/max_parts', 'out_of_range'],
    ['/validity_period', 'out_of_range'],
  ])
  for (const fine of [
    { validity_period: 60 },
    { validity_period: 259_200 },
    { max_parts: 10 },
    { client_reference: '😀'.repeat(100) },
  ]) {
    expect((await api.send({ to, text: 'x', ...fine, dry_run: true })).status, JSON.stringify(fine)).toBe(200)
  }
})

test('enumerations are closed and suggest the nearest member', async () => {
  expect(
    await faultsOf({ to, text: 'x', category: 'Transactional', encoding: 'gsm', on_unknown: 'retry' }),
  ).toEqual([
    ['/category', 'not_in_enum', 'transactional'],
    ['/encoding', 'not_in_enum', 'gsm7'],
    ['/on_unknown', 'not_in_enum'],
  ])
})

test('numbers that are not clean E.164 are refused with what was probably meant', async () => {
  expect(
    await faultsOf({
      to: [
        '+49 151 1234-5678',
        '004915112345678',
        '015112345678',
        '+1',
        '110',
        '+49110',
        '',
        '+999123456789',
      ],
      text: 'x',
    }),
  ).toEqual([
    ['/to/0', 'invalid_format', to],
    ['/to/1', 'invalid_format', to],
    ['/to/2', 'invalid_format'],
    ['/to/3', 'invalid_format'],
    ['/to/4', 'invalid_format'],
    ['/to/5', 'invalid_format'],
    ['/to/6', 'invalid_format'],
    ['/to/7', 'invalid_number'],
  ])
})

test('a number that is named twice is refused, not merged', async () => {
  expect(await faultsOf({ to: [to, '+4915112345679', to, to], text: 'x' })).toEqual([
    ['/to/2', 'duplicate_recipient'],
    ['/to/3', 'duplicate_recipient'],
  ])
})

test('a text must be visible, well-formed and free of control characters', async () => {
  const codeOf = async (text: string) => (await faultsOf({ to, text }))[0]?.[1]
  expect(
    await Promise.all([' \n\t ', '\u200b\u00ad', 'a\u0007b', 'a\u0085b', 'a\u007fb'].map(codeOf)),
  ).toEqual(['blank', 'blank', 'control_character', 'control_character', 'control_character'])
  expect((await api.send({ to, text: 'a\tb\nc\rd\fe', dry_run: true })).status).toBe(200)
})

test('gsm7 with other characters names them', async () => {
  const answer = await api.send({ to, text: 'Hi – it’s çok çok', encoding: 'gsm7' })
  const [fault] = answer.body.errors
  expect(fault).toMatchObject({ pointer: '/text', code: 'not_encodable' })
  expect(fault.detail).toBe('GSM-7 lacks – (U+2013), ’ (U+2019), ç (U+00E7).')
  expect(fault.offending).toEqual([
    { character: '–', code_point: 'U+2013', index: 3, count: 1, replacement: '-' },
    { character: '’', code_point: 'U+2019', index: 7, count: 1, replacement: "'" },
    { character: 'ç', code_point: 'U+00E7', index: 10, count: 2, replacement: null },
  ])
})

test('a message of more parts than asked for, or than any device joins, is refused and never cut', async () => {
  expect(await faultsOf({ to, text: 'x'.repeat(161), max_parts: 1 })).toEqual([['/text', 'message_too_long']])
  expect((await api.send({ to, text: 'x'.repeat(160), max_parts: 1, dry_run: true })).status).toBe(200)
  expect(await faultsOf({ to, text: 'x'.repeat(153 * 8 + 1) })).toEqual([['/text', 'message_too_long']])
  expect((await api.send({ to, text: 'x'.repeat(153 * 8), dry_run: true })).status).toBe(200)
})

test('a sender must be one that a device of the account can use', async () => {
  for (const from of ['+4915199990001', 'Onesixty']) {
    expect((await api.send({ to, text: 'x', from, dry_run: true })).status, from).toBe(200)
  }
  for (const from of ['+4915199990002', 'onesixty', '12345']) {
    expect(await faultsOf({ to, text: 'x', from }), from).toEqual([['/from', 'sender_not_available']])
  }
  for (const from of ['', '12', '123456789', 'twelve chars', ' Acme', '+49 151', 'Ünïcode', '+0123456789']) {
    expect((await faultsOf({ to, text: 'x', from }))[0]?.[1], from).toBe('invalid_format')
  }
})

test('metadata is bounded in names, values, members and bytes', async () => {
  const members = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]))
  const faults = async (metadata: object) => (await faultsOf({ to, text: 'x', metadata })).flat()
  expect(await faults({ 'a b': 'x' })).toEqual(['/metadata/a b', 'invalid_format'])
  expect(await faults({ '': 'x' })).toEqual(['/metadata/', 'invalid_format'])
  expect(await faults({ ['x'.repeat(41)]: 'x' })).toEqual([`/metadata/${'x'.repeat(41)}`, 'invalid_format'])
  expect(await faults({ a: 'x'.repeat(201) })).toEqual(['/metadata/a', 'too_long'])
  expect(await faults({ a: 'a\u0000' })).toEqual(['/metadata/a', 'control_character'])
  expect(await faults(members(11, ''))).toEqual(['/metadata', 'too_many_items'])
  expect(await faults(members(10, 'ä'.repeat(100)))).toEqual(['/metadata', 'too_long'])
  expect(
    (await api.send({ to, text: 'x', metadata: members(10, 'x'.repeat(190)), dry_run: true })).status,
  ).toBe(200)
})

test('all faults are told at once, up to a hundred', async () => {
  expect(
    await faultsOf({
      to: ['+49 151 12345678', 'x'],
      text: 'a\u0000',
      from: 'Nobody',
      max_parts: 0,
      txet: '',
    }),
  ).toEqual([
    ['/max_parts', 'out_of_range'],
    ['/txet', 'unknown_field', 'text'],
    ['/to/0', 'invalid_format', to],
    ['/to/1', 'invalid_format'],
    ['/text', 'control_character'],
    ['/from', 'sender_not_available'],
  ])
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, i]))
  expect(await faultsOf({ ...many, to, text: 'x' })).toHaveLength(100)
})

test('numbers never reach the body of a refusal but as a suggestion of their own', async () => {
  const answer = await api.send({ to: ['+49110', '+49 30 123'], text: 'x' })
  expect(answer.text).not.toContain('+49110')
})

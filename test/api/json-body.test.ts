import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({ config: { sendPerMinute: 0 } })
})
afterAll(() => api.close())

const post = (body: string | Uint8Array) =>
  api.request('POST', '/api/v1/send', { body, headers: { 'content-type': 'application/json' } })

test('what is not one JSON object in UTF-8 is malformed', async () => {
  const bodies: [string, string | Uint8Array][] = [
    ['nothing', ''],
    ['half an object', '{"to":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"+4915112345678"'],
    ['two values', '{}{}'],
    ['a comment', '{/* */}'],
    ['a trailing comma', '{"to":"+4915112345678",}'],
    ['a byte order mark', Buffer.from('\uFEFF{"to":"+4915112345678","text":"x"}')],
    ['UTF-16', Buffer.from('{"to":"+4915112345678","text":"x"}', 'utf16le')],
    ['Latin-1', Buffer.from('{"to":"+4915112345678","text":"ä"}', 'latin1')],
    ['an overlong sequence', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['a raw NUL', '{"to":"+4915112345678","text":"\0"}'],
    ['a raw newline in a string', '{"to":"+4915112345678","text":"a\nb"}'],
    ['a number out of JSON', '{"to":"+4915112345678","max_parts":0x1}'],
    ['deep arrays', '{"metadata":' + '['.repeat(30_000) + ']'.repeat(30_000) + '}'],
    ['deep objects', '{"metadata":' + '{"a":'.repeat(9) + '1' + '}'.repeat(10)],
  ]
  for (const [what, body] of bodies) {
    const answer = await post(body)
    expect([answer.status, answer.body.code], what).toEqual([400, 'malformed_request'])
    expect(answer.body.detail, what).toMatch(/Nothing was sent\.$/)
    expect(answer.body.detail, what).not.toContain('4915112345678')
  }
})

test('a byte order mark is named, since no editor shows it', async () => {
  const { body } = await post(Buffer.from('\uFEFF{"to":"+4915112345678","text":"x"}'))
  expect(body.detail).toMatch(/^The body begins with a byte order mark\. Send it without/)
  for (const other of ['', '{', '\u00ef{}'])
    expect((await post(other)).body.detail).not.toContain('order mark')
})

test('a member that stands twice is malformed, because one of the two would be ignored in silence', async () => {
  const twice = [
    '{"to":"+4915112345678","text":"a","text":"b"}',
    '{"to":"+4915112345678","text":"a","t\\u0065xt":"b"}',
    '{"to":"+4915112345678","text":"a","metadata":{"x":"1","x":"2"}}',
    '{"to":"+4915112345678","text":"a","__proto__":1,"__proto__":2}',
  ]
  for (const body of twice) expect((await post(body)).body.code, body).toBe('malformed_request')
  const once = await post('{"to":"+4915112345678","text":"a: \\"b\\": {c} [d]","metadata":{"text":"text"}}')
  expect(once.status).toBe(202)
})

test('__proto__ and its kin are fields like any other: unknown', async () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const answer = await post(`{"to":"+4915112345678","text":"a","${name}":{"dry_run":true}}`)
    expect(answer.status, name).toBe(422)
    expect(answer.body.errors).toMatchObject([{ pointer: `/${name}`, code: 'unknown_field' }])
  }
  const inMetadata = await post(
    '{"to":"+4915112345678","text":"a","metadata":{"__proto__":"x","constructor":"y"}}',
  )
  expect(inMetadata.status).toBe(202)
  expect(inMetadata.text).toContain('"metadata":{"__proto__":"x","constructor":"y"}')
})

test('escapes that make no character are told by name', async () => {
  const answer = await post(
    '{"to":"+4915112345678","text":"\\ud800","client_reference":"\\udc00x","metadata":{"a":"\\ud83d"}}',
  )
  expect(answer.status).toBe(422)
  expect(
    answer.body.errors.map((fault: { pointer: string; code: string }) => [fault.pointer, fault.code]),
  ).toEqual([
    ['/client_reference', 'invalid_unicode'],
    ['/metadata/a', 'invalid_unicode'],
    ['/text', 'invalid_unicode'],
  ])
  const nul = await post('{"to":"+4915112345678","text":"a\\u0000b","client_reference":"\\u0000"}')
  expect(nul.body.errors.map((fault: { code: string }) => fault.code)).toEqual([
    'control_character',
    'control_character',
  ])
})

test('no bytes at all bring a 5xx', async () => {
  const token = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    'u',
    'to',
    'text',
    '+49',
    'null',
    '1',
    'e',
    '-',
    ' ',
    'é',
    '\0',
  )
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(token, { maxLength: 40 }).map((parts) => Buffer.from(parts.join(''))),
    fc.json().map((text) => Buffer.from(text)),
  )
  await fc.assert(
    fc.asyncProperty(bytes, async (body) => {
      const { status } = await post(body)
      expect([202, 400, 422]).toContain(status)
    }),
    { numRuns: 300 },
  )
})

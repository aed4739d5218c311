import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAnswer } from '../../src/connectors/http/answers/read-answer.ts'
import type { Declaration } from '../../src/connectors/http/declaration/declaration.ts'
import { findAll, findText } from '../../src/connectors/http/declaration/pointer.ts'

type Send = Declaration['send']
const read = (
  send: Partial<Send>,
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
) =>
  readAnswer(
    { send: { url: '{base}/', answers: [{ status: '200', means: 'accepted', id: '/id' }], ...send } },
    { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
  )

/** What a status means where no rule fits. */
const usual: readonly [status: number, result: object][] = [
  ...[200, 201, 202, 204, 299, 301, 302, 303].map((status): [number, object] => [status, { kind: 'unknown' }]),
  ...[307, 308].map((status): [number, object] => [status, { kind: 'refused', means: 'device', reason: 'answer_not_understood' }]),
  ...[400, 404, 405, 406, 409, 410, 413, 415, 418, 422, 451].map((status): [number, object] => [status, { kind: 'refused', means: 'good', code: 'network_rejected', networkCode: String(status) }]),
  ...[401, 403].map((status): [number, object] => [status, { kind: 'refused', means: 'device', reason: 'credentials_refused' }]),
  [402, { kind: 'refused', means: 'device', reason: 'provider_no_credit' }],
  [408, { kind: 'unknown' }],
  ...[425, 429].map((status): [number, object] => [status, { kind: 'refused', means: 'busy', code: 'network_congested' }]),
  ...[500, 502, 503, 504, 520, 599].map((status): [number, object] => [status, { kind: 'unknown' }]),
] // prettier-ignore

test.for(usual)('a status of %i that no rule fits is what the table says', ([status, result]) => {
  expect(read({ answers: [{ status: '299', at: '/x', means: 'accepted' }] }, status)).toMatchObject(result)
})

test('an acceptance whose ID is missing, empty, an object or unreadable is unknown', () => {
  for (const id of [undefined, null, '', {}, [], 'a b', 'é', 'x'.repeat(201)])
    expect(read({}, 200, { id }), JSON.stringify(id)).toMatchObject({ kind: 'unknown' })
  expect(read({}, 200, { id: 17 })).toMatchObject({ kind: 'accepted', ids: ['17'] })
})

test('the first rule that fits counts, by status, class, value and beginning of a value', () => {
  const answers: Send['answers'] = [
    { status: '400', at: '/code', is: ['21610'], means: 'good', code: 'recipient_opted_out' },
    { status: '4xx', at: '/errors/*/code', is: ['213*'], means: 'good', code: 'number_invalid' },
    { status: '5xx', at: '/retry', means: 'busy' },
    { status: '4xx', means: 'now' },
    { status: '200', means: 'accepted' },
  ]
  expect(read({ answers }, 400, { code: 21_610 })).toMatchObject({ code: 'recipient_opted_out' })
  expect(read({ answers }, 422, { errors: [{ code: 'x' }, { code: '21377' }] })).toMatchObject({
    code: 'number_invalid',
  })
  expect(read({ answers }, 422, { errors: [{ code: '2137' }, { code: '1' }] })).toMatchObject({
    code: 'number_invalid',
  })
  expect(read({ answers }, 422, { errors: [{ code: '2213' }] })).toMatchObject({
    means: 'now',
    code: 'network_congested',
  })
  expect(read({ answers }, 503, { retry: true })).toMatchObject({ means: 'busy' })
  expect(read({ answers }, 503, {})).toMatchObject({ kind: 'unknown' })
  expect(read({ answers }, 200)).toMatchObject({ kind: 'accepted', ids: [] })
})

test('the code of a refusal is read at the first of several places that has one, and of a text the text itself', () => {
  const send: Partial<Send> = {
    answers: [{ status: '200', means: 'good' }],
    network_code: ['/messages/0/error', '/success', ''],
  }
  const codeOf = (body: unknown) => (read(send, 200, body) as { networkCode: string | null }).networkCode
  expect(codeOf({ success: '100', messages: [{ error: '202' }] })).toBe('202')
  expect(codeOf({ success: '500', messages: [{ error: null }] })).toBe('500')
  expect(codeOf('900')).toBe('900')
  expect(codeOf({ messages: [] })).toBe('200')
})

test('text and XML are read between two literals', () => {
  // Words: Kannel 1.4.5 user guide, "SMS push reply"; AWS SNS API reference, Publish.
  const kannel: Partial<Send> = {
    answers: [{ status: '202', at: { between: ['', ':'] }, is: ['0', '3'], means: 'accepted' }],
  }
  expect(read(kannel, 202, '0: Accepted for delivery')).toMatchObject({ kind: 'accepted', ids: [] })
  expect(read(kannel, 202, '4: Rejected')).toMatchObject({ kind: 'unknown' })
  const sns: Partial<Send> = {
    answers: [{ status: '200', means: 'accepted', id: { between: ['<MessageId>', '</MessageId>'] } }],
  }
  const xml =
    '<PublishResponse><PublishResult><MessageId>567910cd-659e</MessageId></PublishResult></PublishResponse>'
  expect(read(sns, 200, xml)).toMatchObject({ kind: 'accepted', ids: ['567910cd-659e'] })
})

test('busy rests as long as Retry-After says, in seconds or until a date, and 10 min at most', () => {
  const rest = (headers: Record<string, string>) => {
    const answered = read({}, 429, '', headers)
    return answered.kind === 'refused' ? answered.restMs : undefined
  }
  expect(rest({ 'retry-after': '3' })).toBe(3_000)
  expect(rest({ 'retry-after': '86400' })).toBe(600_000)
  expect(
    rest({ date: 'Fri, 27 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 27 Nov 2026 12:00:30 GMT' }),
  ).toBe(30_000)
  expect(rest({ 'retry-after': 'soon' })).toBeNull()
  expect(rest({})).toBeNull()
})

test('any octets of any answer are read, and none throws', () => {
  const rules: Send['answers'] = [
    { status: '2xx', at: '/a/*/b', is: ['x*'], means: 'accepted', id: '/id' },
    { at: { between: ['<', '>'] }, means: 'good' },
  ]
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 599 }),
      fc.oneof(fc.json(), fc.string({ unit: 'binary' })),
      (status, body) => {
        const { kind } = read({ answers: rules }, status, body)
        expect(['accepted', 'refused', 'unknown']).toContain(kind)
        if (kind === 'accepted') expect(status).toBeLessThan(300)
      },
    ),
  )
})

test('a JSON Pointer finds what RFC 6901 says, and an asterisk each element of a list', () => {
  // Words: RFC 6901, section 5.
  const document = {
    foo: ['bar', 'baz'],
    '': 0,
    'a/b': 1,
    'c%d': 2,
    'm~n': 8,
    list: [{ x: 1 }, { y: 2 }, { x: 3 }, 4],
  }
  expect(findAll(document, '')).toEqual([document])
  expect(findText(document, '/foo/0')).toBe('bar')
  expect(findText(document, '/')).toBe('0')
  expect(findText(document, '/a~1b')).toBe('1')
  expect(findText(document, '/m~0n')).toBe('8')
  expect(findAll(document, '/list/*/x')).toEqual([1, 3])
  expect(findAll(document, '/constructor')).toEqual([])
  expect(findAll(document, '/foo/-')).toEqual([])
  expect(findAll(document, '/foo/01')).toEqual([])
})

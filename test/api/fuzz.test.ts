import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renderOpenApi } from '../../src/api/openapi.ts'
import { componentSchemas } from '../../src/api/openapi-components.ts'
import { commonProblems, type Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { type ProblemCode, problems } from '../../src/errors.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'

/** Requests made from our own reference, right, near to right and hostile: no 5xx, nothing that the reference does not name. */
const runs = sizeOf('FUZZ_REQUESTS')

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({
    config: { sendPerMinute: 0, readPerMinute: 0, failedAuthPerMinute: 0, playSms: 50, queueLimit: 40 },
  })
})
afterAll(() => api.close())

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
}

const oddValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    '',
    ' ',
    '+',
    '\u0000',
    '\ud800',
    [],
    {},
    [[]],
    'null',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 300 }),
)

function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valueOf))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const { type } = schema
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => valueOf({ ...schema, type: one })))
  switch (type) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 })
    case 'array':
      return fc.uniqueArray(valueOf(schema.items ?? {}), { minLength: 1, maxLength: 4 })
    case 'object':
      return fc.dictionary(fc.stringMatching(/^[A-Za-z0-9_.-]{1,40}$/), fc.string({ maxLength: 50 }), {
        maxKeys: 4,
      })
    case 'string':
      return textOf(schema)
    default:
      return fc.constant(null)
  }
}

function textOf({ pattern, format, maxLength = 200 }: Schema): fc.Arbitrary<string> {
  if (pattern?.startsWith('^\\+')) {
    return fc.oneof(
      fc.integer({ min: 0, max: 99_999_999 }).map((n) => `+49151${String(n).padStart(8, '0')}`),
      fc.constantFrom(
        '+15005550001',
        '+15005550003',
        '+15005550004',
        '+15005550006',
        '+15005550008',
        '+15005550010',
        '+499001234567',
      ),
    )
  }
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  return fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: Math.min(maxLength, 400) }),
    fc.constantFrom('Onesixty', 'Hello'),
  )
}

/** A value for every required member and some of the others; one member in twenty is odd, one body in ten has one too many. */
function objectOf(
  { properties = {} }: Schema,
  required: readonly string[],
): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      fc.oneof({ weight: 19, arbitrary: valueOf(schema) }, { weight: 1, arbitrary: oddValue }),
    ]),
  )
  const whole = fc.record(members, { requiredKeys: [...required] })
  const extra = fc.dictionary(fc.string({ maxLength: 20 }), oddValue, { minKeys: 1, maxKeys: 2 })
  return fc.oneof(
    { weight: 9, arbitrary: whole },
    { weight: 1, arbitrary: fc.tuple(whole, extra).map(([one, more]) => ({ ...one, ...more })) },
  )
}

/** A value for up to three members: a query with more is hardly ever right in all of them, and finds no page. */
function fewOf({ properties = {} }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const all = Object.entries(properties)
  return fc
    .shuffledSubarray(all, { maxLength: Math.min(3, all.length) })
    .chain((few) => objectOf({ properties: Object.fromEntries(few) }, []))
}

const queryString = (query: Record<string, unknown>): string =>
  Object.entries(query)
    .flatMap(([name, value]) =>
      [value]
        .flat()
        .map((one) => `${encode(name)}=${encode(typeof one === 'string' ? one : JSON.stringify(one))}`),
    )
    .join('&')
const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

const someHeaders = fc.record(
  {
    'idempotency-key': fc.oneof(fc.constantFrom('a', 'b', '"c"'), fc.stringMatching(/^[!-~]{1,20}$/)),
    accept: fc.constantFrom('*/*', 'application/json', 'text/html'),
    traceparent: fc.constantFrom('x', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
  },
  { requiredKeys: [] },
)

/** What no client of ours would send in the place of a body. */
const noBodies = ['', ' ', '[]', 'null', '"', '{', '{}{}', '\ufeff{}', '{"to":NaN}', '['.repeat(5_000), '{"to":'.repeat(2_000), `"${'x'.repeat(70_000)}"`] // prettier-ignore

/** The text of a body: as it should be, cut off, with something in its middle, or nothing of the kind. */
const textFor = (value: fc.Arbitrary<object>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 16, arbitrary: value.map((body) => JSON.stringify(body)) },
    { weight: 2, arbitrary: spoiled(value, (text, at) => text.slice(0, at)) },
    { weight: 1, arbitrary: spoiled(value, (text, at, odd) => text.slice(0, at) + odd + text.slice(at)) },
    { weight: 1, arbitrary: fc.constantFrom(...noBodies) },
  )

const spoiled = (
  value: fc.Arbitrary<object>,
  spoil: (text: string, at: number, odd: string) => string,
): fc.Arbitrary<string> =>
  fc
    .tuple(value, fc.double({ min: 0, max: 1, noNaN: true }), fc.string({ unit: 'binary', maxLength: 4 }))
    .map(([body, share, odd]) => {
      const text = JSON.stringify(body)
      return spoil(text, Math.floor(share * text.length), odd.toWellFormed())
    })

const noQuery = fc.stringMatching(/^[A-Za-z0-9_=&%+.,:;~!$'()*@/?-]{0,200}$/)

const isProblem = Compile(componentSchemas['Problem'] as TSchema)

test(
  'sends made from the reference are answered as it says',
  async () => {
    expect((await fuzz(operations.send)).size).toBeGreaterThan(6)
  },
  endAfter(60_000),
)

test(
  'questions about the status made from the reference are answered as it says',
  async () => {
    expect((await fuzz(operations.status)).size).toBeGreaterThan(3)
  },
  endAfter(60_000),
)

test(
  'questions about the balance made from the reference are answered as it says',
  async () => {
    expect((await fuzz(operations.balance)).size).toBeGreaterThan(3)
  },
  endAfter(60_000),
)

test(
  'questions about history made from the reference are answered as it says',
  async () => {
    expect((await fuzz(operations.history)).size).toBeGreaterThan(3)
  },
  endAfter(60_000),
)

/** On every answer of every server: not worth a word in a reference. */
const unspoken = [
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'x-content-type-options',
]

/** The headers that the reference names for each status of an operation, in lower case. */
function headersOf({ path, method }: AnyOperation): Map<number, string[]> {
  const { paths } = JSON.parse(renderOpenApi('http://localhost')) as {
    paths: Record<string, Record<string, { responses: Record<string, { headers: object }> }>>
  }
  const { responses = {} } = paths[path]?.[method.toLowerCase()] ?? {}
  return new Map(
    Object.entries(responses).map(([status, { headers }]) => [
      Number(status),
      Object.keys(headers).map((name) => name.toLowerCase()),
    ]),
  )
}

type AnyOperation = Omit<Operation<never>, 'handle'>

/** Sends requests to an operation and holds each answer to the reference. Gives the kinds of answers that were seen. */
async function fuzz(operation: AnyOperation): Promise<Set<string>> {
  const codes = new Set<string>([...commonProblems, ...operation.problems])
  const answers = new Map(
    Object.entries(operation.answers).map(([status, { schema }]) => [Number(status), Compile(schema)]),
  )
  const documented = headersOf(operation)
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(requestTo(operation), async ({ key, headers, query, text }) => {
      const keys: Record<string, string> = { test: api.account.testKey, live: api.account.liveKey }
      const json: Record<string, string> = text === null ? {} : { 'content-type': 'application/json' }
      const answer = await api.request(operation.method, `${operation.path}?${query}`, {
        key: keys[key] ?? key,
        headers: { ...headers, ...json },
        ...(text === null ? {} : { body: text }),
      })
      seen.add(`${answer.status} ${answer.body.code ?? ''}`)
      expect([...(documented.get(answer.status) ?? [])]).toEqual(
        expect.arrayContaining([...answer.headers.keys()].filter((name) => !unspoken.includes(name))),
      )
      const schema = answers.get(answer.status)
      if (schema !== undefined) {
        expect([...schema.Errors(answer.body)]).toEqual([])
        return
      }
      expect(answer.status).toBeLessThan(500)
      expect(isProblem.Check(answer.body)).toBe(true)
      expect([...codes]).toContain(answer.body.code)
      expect(answer.status).toBe(problems[answer.body.code as ProblemCode].status)
    }),
    { numRuns: runs / 4 },
  )
  return seen
}

function requestTo({ query, body }: AnyOperation) {
  const nothing = fc.constant<Record<string, unknown>>({})
  const asked = query === undefined ? nothing : fc.oneof(objectOf(query, []), fewOf(query))
  const bodySchema: (Schema & { required?: string[] }) | undefined = body?.schema
  return fc.record({
    key: fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom('test', 'live') },
      { weight: 1, arbitrary: fc.constant('nobody') },
    ),
    headers: someHeaders,
    query: fc.oneof(
      { weight: 30, arbitrary: asked.map(queryString) },
      {
        weight: 1,
        arbitrary: objectOf({ properties: { dry_run: { type: 'boolean' } } }, []).map(queryString),
      },
      { weight: 1, arbitrary: noQuery },
    ),
    text:
      bodySchema === undefined ? fc.constant(null) : textFor(objectOf(bodySchema, bodySchema.required ?? [])),
  })
}

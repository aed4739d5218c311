import fc from 'fast-check'
import type { DocumentedOperation } from '../../src/api/reference/openapi-document.ts'
import { scalarValue } from '../scalar-value.ts'
import type { HeardWords } from './heard-words.ts'

/** What a request to an operation is made from. */
export type MadeFrom = Pick<DocumentedOperation, 'path' | 'query' | 'headers' | 'body'>

export interface MadeRequest {
  /** The name of a key, or what is none. */
  key: string
  headers: Record<string, string>
  /** With what stands in the place of an account. */
  path: string
  /** What stands behind the `?`. */
  query: string
  /** The body; null for none. */
  text: string | null
  /** How often it comes: whoever heard no answer asks again. */
  times: number
}

/** Requests to an operation: right, near to right and hostile. The weight of each key says how often it asks. */
export function requestsTo(
  { path, query, headers, body }: MadeFrom,
  { heard, keys }: { heard: HeardWords; keys: Readonly<Record<string, number>> },
): fc.Arbitrary<MadeRequest> {
  const make = new Values(heard)
  const nothing = fc.constant<Record<string, unknown>>({})
  const asked = query === undefined ? nothing : make.objectOrFew(query)
  return fc.record({
    key: fc.oneof(...Object.entries(keys).map(([key, weight]) => ({ weight, arbitrary: fc.constant(key) }))),
    headers: wantsKey(headers)
      ? fc.oneof(
          { weight: 9, arbitrary: headersWith(['idempotency-key']) },
          { weight: 1, arbitrary: headersWith([]) },
        )
      : headersWith([]),
    path: path.includes('/:account')
      ? make.account().map((account) => path.replace('/:account', () => `/${encode(account)}`))
      : fc.constant(path),
    query: fc.oneof(
      { weight: 30, arbitrary: asked.map(queryString) },
      {
        weight: 1,
        arbitrary: make.object({ properties: { dry_run: { type: 'boolean' } } }).map(queryString),
      },
      { weight: 1, arbitrary: noQuery },
    ),
    text: body === undefined ? fc.constant(null) : textFor(make.objectOrFew(body.schema)),
    times: fc.oneof(
      { weight: wantsKey(headers) ? 1 : 3, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.constant(2) },
    ),
  })
}

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
  required?: string[]
}

/** What stands where a schema wants something else. */
const oddValues: unknown[] = [null, true, 0, -1, 1.5, 1e300, '', ' ', '+', '\u0000', '\ud800', [], {}, [[]], 'null', '__proto__'] // prettier-ignore
const oddValue = fc.oneof(fc.constantFrom(...oddValues), fc.string({ unit: scalarValue, maxLength: 300 }))

/** Values for schemas. */
class Values {
  readonly #heard: HeardWords

  constructor(heard: HeardWords) {
    this.#heard = heard
  }

  /** With whatever members, or with few: one with many is hardly ever right in all of them, and is never accepted and finds no page. */
  objectOrFew(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
    const { properties = {}, required = [] } = schema
    const all = Object.entries(properties)
    const optional = all.filter(([name]) => !required.includes(name))
    const few = fc.shuffledSubarray(optional, { maxLength: Math.min(3, optional.length) }).chain((some) => {
      const named = [...all.filter(([name]) => required.includes(name)), ...some]
      return this.object({ properties: Object.fromEntries(named), required })
    })
    return fc.oneof(this.object(schema), few)
  }

  /** A value for every required member and some of the others; one member in twenty is odd, one object in ten has one too many. */
  object({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
    const members = Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        fc.oneof({ weight: 19, arbitrary: this.#valueOf(name, schema) }, { weight: 1, arbitrary: oddValue }),
      ]),
    )
    const whole = fc.record(members, { requiredKeys: [...required] })
    const extra = fc.dictionary(fc.string({ maxLength: 20 }), oddValue, { minKeys: 1, maxKeys: 2 })
    return fc.oneof(
      { weight: 9, arbitrary: whole },
      { weight: 1, arbitrary: fc.tuple(whole, extra).map(([one, more]) => ({ ...one, ...more })) },
    )
  }

  /** One that there is, one that might be, or what is the id of none. */
  account(): fc.Arbitrary<string> {
    const there = this.#heard.wordFor('account', fc.constant('acc')).map(String)
    const absent = fc.stringMatching(/^acc_[0-9a-z]{26}$/)
    const none = fc.string({ unit: scalarValue, minLength: 1, maxLength: 40 })
    return fc.oneof(
      { weight: 14, arbitrary: there },
      { weight: 1, arbitrary: absent },
      { weight: 1, arbitrary: none },
    )
  }

  #valueOf(name: string, schema: Schema): fc.Arbitrary<unknown> {
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => this.#valueOf(name, one)))
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    const { type } = schema
    if (Array.isArray(type))
      return fc.oneof(...type.map((one) => this.#valueOf(name, { ...schema, type: one })))
    switch (type) {
      case 'boolean':
        return fc.boolean()
      case 'integer':
        return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 })
      case 'array':
        return fc.uniqueArray(this.#valueOf(name, schema.items ?? {}), { minLength: 1, maxLength: 4 })
      case 'object':
        return fc.dictionary(fc.stringMatching(/^[A-Za-z0-9_.-]{1,40}$/), fc.string({ maxLength: 50 }), {
          maxKeys: 4,
        })
      case 'string':
        return fc.oneof(
          { weight: 1, arbitrary: textOf(schema) },
          { weight: 3, arbitrary: this.#heard.wordFor(name, textOf(schema)) },
        )
      default:
        return fc.constant(null)
    }
  }
}

function textOf({ pattern, format, maxLength = 200 }: Schema): fc.Arbitrary<string> {
  if (pattern?.startsWith('^\\+')) return number
  if (format === 'date-time') return someTime.map((time) => time.toISOString())
  if (format === 'date') return someTime.map((time) => time.toISOString().slice(0, 10))
  return fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: Math.min(maxLength, 400) }),
    fc.constantFrom('Onesixty', 'Hello'),
  )
}

const someTime = fc.date({ noInvalidDate: true })

/** Most are anybody's; the others are those that a test key plays with, and one that costs whoever writes to it. */
const number = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.integer({ min: 0, max: 99_999_999 }).map((n) => `+49151${String(n).padStart(8, '0')}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('+15005550001', '+15005550003', '+15005550004', '+15005550006', '+15005550008', '+15005550010', '+499001234567') }, // prettier-ignore
)

const queryString = (query: Record<string, unknown>): string =>
  Object.entries(query)
    .flatMap(([name, value]) =>
      [value]
        .flat()
        .map((one) => `${encode(name)}=${encode(typeof one === 'string' ? one : JSON.stringify(one))}`),
    )
    .join('&')
const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

const wantsKey = (headers: object = {}): boolean =>
  (headers as { required?: string[] }).required?.includes('Idempotency-Key') === true

/** These headers, and some of the others. */
const headersWith = (requiredKeys: (keyof typeof someHeader)[]): fc.Arbitrary<Record<string, string>> =>
  fc.record(someHeader, { requiredKeys })

const someHeader = {
  'idempotency-key': fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom('a', 'b', '"c"') },
    { weight: 5, arbitrary: fc.stringMatching(/^[!-~]{1,20}$/) },
  ),
  accept: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('*/*', 'application/json') },
    { weight: 1, arbitrary: fc.constant('text/html') },
  ),
  traceparent: fc.constantFrom('x', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
}

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
    .tuple(value, fc.double({ min: 0, max: 1, noNaN: true }), fc.string({ unit: scalarValue, maxLength: 4 }))
    .map(([body, share, odd]) => {
      const text = JSON.stringify(body)
      return spoil(text, Math.floor(share * text.length), odd)
    })

const noQuery = fc.stringMatching(/^[A-Za-z0-9_=&%+.,:;~!$'()*@/?-]{0,200}$/)

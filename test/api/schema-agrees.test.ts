import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { idempotencyKeyForm, readIdempotency } from '../../src/api/edge/idempotency-key.ts'
import { idPattern, isId } from '../../src/runtime/ids.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

interface Parameter {
  name: string
  in: string
  schema: Schema
}
interface Schema {
  type?: string
  enum?: unknown[]
  items?: Schema
  format?: string
  minLength?: number
  pattern?: string
}
const documented = (file: string) =>
  (
    JSON.parse(readFileSync(file, 'utf8')) as {
      paths: Record<string, Record<string, { parameters?: Parameter[] }>>
    }
  ).paths
const parametersOf = (file: string, path: string): Parameter[] =>
  documented(file)[path]?.['get']?.parameters?.filter((parameter) => parameter.in === 'query') ?? []

const mayBeEmpty = ({ items, enum: words, format, minLength = 0, pattern, type }: Schema): boolean =>
  items !== undefined
    ? mayBeEmpty(items)
    : type === 'string' &&
      words === undefined &&
      format === undefined &&
      minLength === 0 &&
      new RegExp(pattern ?? '').test('')

const parameters = parametersOf('docs/openapi.json', '/api/v1/history')

test('there are parameters to look at', () => expect(parameters.length).toBeGreaterThan(15))

test.each(parameters.map(({ name, schema }) => [name, schema] as const))(
  'an empty %s is refused, and its schema says so',
  async (name, schema) => {
    const answer = await api.request('GET', `/api/v1/history?${name}=`)
    expect([answer.status, mayBeEmpty(schema)]).toEqual([400, false])
  },
)

test('no list of the operator takes an empty cursor by its schema', () => {
  const cursors = ['/operator/v1/accounts', '/operator/v1/accounts/{account_id}/ledger'].map((path) =>
    parametersOf('docs/operator-openapi.json', path).find(({ name }) => name === 'cursor'),
  )
  for (const cursor of cursors) expect(mayBeEmpty(cursor!.schema)).toBe(false)
})

test('the schema takes an Idempotency-Key exactly when the server does', () => {
  const form = new RegExp(idempotencyKeyForm.pattern, 'u')
  const bySchema = (key: string): boolean =>
    key.length >= idempotencyKeyForm.minLength && key.length <= idempotencyKeyForm.maxLength && form.test(key)
  const byServer = (key: string): boolean => {
    try {
      return readIdempotency({ 'idempotency-key': key }, {}) !== null
    } catch {
      return false
    }
  }
  const letters = fc.constantFrom('a', '!', '~', '"', '\\', '[', ']', '#', ' ', 'é')
  const text = fc.oneof(
    fc.string({ unit: letters, maxLength: 6 }),
    fc.string({ unit: fc.constantFrom('a', '[', '\\"', '\\\\'), minLength: 250, maxLength: 258 }),
    fc.integer({ min: 253, max: 257 }).map((length) => 'a'.repeat(length)),
  )
  const key = fc.oneof(text, text.map((inner) => `"${inner}"`))
  const seen = { taken: 0, refused: 0 }
  fc.assert(
    fc.property(key, (given) => {
      seen[byServer(given) ? 'taken' : 'refused'] += 1
      expect(bySchema(given)).toBe(byServer(given))
    }),
    { numRuns: 2_000 },
  )
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(100)
}) // prettier-ignore

test('the schema of an id is what the server takes for one', () => {
  const real = api.account.accountId
  for (const given of [real, '', 'acc_', `${real}0`, real.slice(0, -1), real.toUpperCase(), `msg${real.slice(3)}`, ` ${real}`])
    expect(new RegExp(idPattern('acc'), 'u').test(given), given).toBe(isId('acc', given))
}) // prettier-ignore

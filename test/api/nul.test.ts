import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnyCall } from '../../src/api/console/core/call.ts'
import { calls } from '../../src/api/console/calls.ts'
import { operations } from '../../src/api/v1/operations.ts'
import { operatorOperations } from '../../src/api/operator/operations.ts'
import { type ConsolePerson, startConsole, type TestConsole } from '../console/start-console.ts'
import { makeOperator } from '../e2e/signed-in.ts'
import { tokenForOperator } from '../operator/operator-client.ts'

/** PostgreSQL keeps no NUL in a text and compares none with it: whoever sends one is told so, and the database never sees it. */

const odd = 'a\u0000b'

let house: TestConsole
/** An owner who runs the instance: every call is open to her. */
let olga: ConsolePerson
let token: string
beforeAll(async () => {
  house = await startConsole()
  olga = await house.newPerson('Olga')
  await makeOperator(house, olga.userId)
  ;({ token } = await tokenForOperator(house, 'write'))
})
afterAll(() => house.stop())

interface Schema {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  minimum?: number
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
}

/** A value for every member, so that what is looked at behind the first fault is reached too. */
function plain({ type, enum: words, const: only, anyOf, minimum, properties = {} }: Schema): unknown {
  if (only !== undefined) return only
  if (words !== undefined) return words[0]
  if (anyOf !== undefined) return plain(anyOf[0] as Schema)
  switch (type) {
    case 'integer':
    case 'number':
      return minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return []
    case 'object':
      return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, plain(member)]))
    default:
      return 'x'
  }
}

type Place = [pointer: string, value: unknown]

/** A value for each text that stands in a schema, names of members too, with a NUL in that one alone. */
function oddInEach(schema: Schema, pointer = ''): Place[] {
  const { type, anyOf, items, properties, patternProperties } = schema
  if (anyOf !== undefined) return anyOf.flatMap((one) => oddInEach(one, pointer))
  if (items !== undefined) return oddInEach(items, `${pointer}/0`).map(([at, value]) => [at, [value]])
  if (patternProperties !== undefined) {
    const member = Object.values(patternProperties)[0] ?? {}
    const inside = oddInEach(member, `${pointer}/x`).map(([at, value]): Place => [at, { x: value }])
    return [[`${pointer}/${odd}`, { [odd]: plain(member) }], ...inside]
  }
  if (properties !== undefined) {
    const whole = plain(schema) as object
    return Object.entries(properties).flatMap(([name, member]) =>
      oddInEach(member, `${pointer}/${name}`).map(([at, value]): Place => [at, { ...whole, [name]: value }]),
    )
  }
  return type === 'string' || type === undefined ? [[pointer, odd]] : []
}

const table = (Object.entries(calls) as [string, AnyCall][]).flatMap(([name, call]) =>
  oddInEach(call.input as Schema).map(([pointer, input]) => ({ name, call, pointer, input })),
)

test('there are texts to try', () => {
  expect(table.length).toBeGreaterThan(80)
  expect(table.map(({ name, pointer }) => `${name} ${pointer}`)).toEqual(
    expect.arrayContaining([
      'session/sign-in /email',
      `devices/add /settings/${odd}`,
      'devices/add /settings/x',
    ]),
  )
})

test.each(table)('$name takes none at $pointer', async ({ name, call, pointer, input }) => {
  const made = call.kind === 'change' ? olga.change : olga.read
  const { status, body } = await made(name, input as object)
  if (call.judgesNul === true) expect([200, 422]).toContain(status)
  else
    expect([status, body]).toMatchObject([
      422,
      { code: 'validation_failed', errors: [{ pointer, code: 'control_character' }] },
    ])
})

test('the name of an account holds none', async () => {
  const { status } = await olga.read('overview/read', {}, { accountId: odd })
  expect(status).toBe(404)
})

const encoded = encodeURIComponent(odd)
async function ask(method: string, path: string, bearer: string, body?: unknown) {
  const answer = await fetch(house.url + path, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': 'nul' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as object }
}
const faultAt = (fault: object) => ({ errors: expect.arrayContaining([expect.objectContaining(fault)]) })

test.each(Object.keys((operations.history.query as Schema).properties ?? {}))(
  'a question about history takes none in %s',
  async (parameter) => {
    const { status, body } = await ask('GET', `/api/v1/history?${parameter}=${encoded}`, olga.liveKey)
    expect(status).toBe(400)
    if (parameter !== 'cursor') expect(body).toMatchObject(faultAt({ parameter, code: 'control_character' }))
  },
)

test.each(oddInEach(operations.send.body?.schema as Schema))(
  'a send takes none at %s',
  async (pointer, body) => {
    expect(await ask('POST', '/api/v1/send', olga.liveKey, body)).toMatchObject({
      status: 422,
      body: faultAt({ pointer }),
    })
  },
)

test.each(operatorOperations.map((operation) => [operation.id, operation] as const))(
  '%s takes none anywhere',
  async (_, { method, path, query, body: { schema } = {} }) => {
    const at = (account: string) => path.replace(':account', account)
    if (path.includes(':account'))
      expect(await ask(method, at(encoded), token, method === 'POST' ? {} : undefined)).toMatchObject({
        status: 404,
      })
    for (const parameter of Object.keys(query?.properties ?? {}))
      expect(await ask(method, `${at(olga.accountId)}?${parameter}=${encoded}`, token)).toMatchObject({
        status: 400,
        body: faultAt({ parameter, code: 'control_character' }),
      })
    for (const [pointer, body] of schema === undefined ? [] : oddInEach(schema))
      expect(await ask(method, at(olga.accountId), token, body)).toMatchObject({
        status: 422,
        body: faultAt({ pointer }),
      })
  },
)

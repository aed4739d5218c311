import { readFile } from 'node:fs/promises'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApi } from '../../scripts/generators/openapi.ts'
import { problems } from '../../src/runtime/errors.ts'
import type { TSchema } from 'typebox'
import { webhookSchemas } from '../../src/api/reference/openapi-webhooks.ts'
import { eventTypes } from '../../src/messages/core/event-types.ts'
import { operations } from '../../src/api/v1/operations.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

interface Node {
  [key: string]: unknown
}

let api: TestApi
let document: Node & {
  paths: Record<string, Record<string, Node>>
  components: Record<string, Record<string, Node>>
}
beforeAll(async () => {
  api = await startTestApi()
  document = (await api.request('GET', '/openapi.json', { key: null })).body
})
afterAll(() => api.close())

test('the committed document is the one that the code makes', async () => {
  expect(await readFile(new URL(`../../${openApi.path}`, import.meta.url), 'utf8')).toBe(
    await openApi.render(),
  )
})

test('the service serves it with its own address', () => {
  expect(document).toMatchObject({
    openapi: '3.1.0',
    servers: [{ url: 'https://sms.example.org' }],
    security: [{ apiKey: [] }],
  })
})

test('it names the four operations and no fifth', () => {
  const named = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  )
  expect(named.toSorted()).toEqual([
    'get /api/v1/balance',
    'get /api/v1/history',
    'get /api/v1/status',
    'post /api/v1/send',
  ])
})

test('it names every event that an endpoint can be told, with a body that its own schema takes', () => {
  const webhooks = document['webhooks'] as Record<
    string,
    { post: { requestBody: { content: Record<string, Node> } } }
  >
  expect(Object.keys(webhooks)).toEqual([...eventTypes])
  for (const { post } of Object.values(webhooks)) {
    const { schema, example } = post.requestBody.content['application/json'] as {
      schema: { $ref: string }
      example: object
    }
    const check = Compile(webhookSchemas[schema.$ref.split('/').at(-1) as string] as TSchema)
    expect([...check.Errors(example)]).toEqual([])
  }
})

test('every member, parameter and header is described, every operation has examples', () => {
  const bare: string[] = []
  walk(document, '#', (node, place) => {
    for (const [name, member] of Object.entries((node['properties'] ?? {}) as Record<string, Node>)) {
      if (member['description'] === undefined && member['$ref'] === undefined)
        bare.push(`${place}/properties/${name}`)
    }
    for (const parameter of (Array.isArray(node['parameters']) ? node['parameters'] : []) as Node[]) {
      if (parameter['description'] === undefined)
        bare.push(`${place}/parameters/${String(parameter['name'])}`)
    }
    for (const [name, header] of Object.entries((node['headers'] ?? {}) as Record<string, Node>)) {
      if (header['description'] === undefined && header['$ref'] === undefined)
        bare.push(`${place}/headers/${name}`)
    }
    const media = node['content'] as Record<string, Node> | undefined
    for (const [type, content] of Object.entries(media ?? {}).filter(([name]) => name.includes('/'))) {
      if (content['example'] === undefined && content['examples'] === undefined)
        bare.push(`${place}/content/${type}`)
    }
  })
  expect(bare).toEqual([])
})

test('every reference leads somewhere', () => {
  const broken: string[] = []
  walk(document, '#', (node) => {
    const target = node['$ref']
    if (typeof target !== 'string') return
    const [, ...path] = target.split('/')
    let found: unknown = document
    for (const step of path) found = (found as Node | undefined)?.[step]
    if (found === undefined) broken.push(target)
  })
  expect(broken).toEqual([])
})

test('each operation documents the status of each problem that it may answer, with an example of that code', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const operation of Object.values(methods)) {
      const responses = operation['responses'] as Record<
        string,
        { content: Record<string, { examples?: Record<string, Node> }> }
      >
      for (const [status, { content }] of Object.entries(responses)) {
        for (const code of Object.keys(content['application/problem+json']?.examples ?? {})) {
          expect(problems[code as keyof typeof problems].status, `${path} ${code}`).toBe(Number(status))
          expect(document.components['examples']?.[code]).toMatchObject({
            value: { code, status: Number(status) },
          })
        }
      }
    }
  }
})

test('each refusal documents the headers that it may carry, and no other', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { responses } of Object.values(methods)) {
      for (const [status, { headers }] of Object.entries(responses as Record<string, { headers: object }>)) {
        if (Number(status) < 400) continue
        const documented = Object.keys(headers).filter((name) => name !== 'Request-Id')
        expect(documented.toSorted(), `${path} ${status}`).toEqual(carriedBy[status] ?? rateLimit)
      }
    }
  }
})

/** Beside `Request-Id`; the limits are known once the key is. */
const rateLimit = ['RateLimit', 'RateLimit-Policy']
const carriedBy: Readonly<Record<string, readonly string[]>> = {
  400: [...rateLimit, 'WWW-Authenticate'],
  401: [...rateLimit, 'WWW-Authenticate'],
  403: [...rateLimit, 'WWW-Authenticate'],
  405: ['Allow'],
  408: [],
  409: [...rateLimit, 'Retry-After'],
  414: [],
  429: [...rateLimit, 'Retry-After'],
  431: [],
  503: [...rateLimit, 'Retry-After'],
}

test('what a fault carries beyond its place is documented', async () => {
  const known = Object.keys(propertiesOf('Fault'))
  const { body } = await api.send({ to: '+49 151 12345678', text: '“ç”', encoding: 'gsm7', txt: 1 })
  expect(body.errors.map(({ code }: { code: string }) => code)).toEqual(
    expect.arrayContaining(['not_encodable', 'unknown_field', 'invalid_format']),
  )
  for (const fault of body.errors) expect(known).toEqual(expect.arrayContaining(Object.keys(fault)))
})

test('a number may stand once in a send, and the reference says so', async () => {
  expect(propertiesOf('SendRequest')['to']?.['anyOf']).toContainEqual(
    expect.objectContaining({ type: 'array', uniqueItems: true }),
  )
  const twice = await api.send({ to: ['+4915112345678', '+4915112345678'], text: 'x' })
  expect(twice).toMatchObject({ status: 422, body: { errors: [{ code: 'duplicate_recipient' }] } })
})

test('the examples of the answers fit their schemas', () => {
  for (const { id, answers } of Object.values(operations)) {
    for (const answer of Object.values(answers)) {
      expect(Compile(answer.schema).Check(answer.example), id).toBe(true)
    }
  }
})

test('what the operations really answer fits the schemas of the reference', async () => {
  await api.send({ to: ['+4915112345678', '+15005550006'], text: 'Hi – you', metadata: { a: 'b' } })
  await api.clock.advance(1)
  for (const { id, path, answers } of [operations.history, operations.status, operations.balance]) {
    const { body } = await api.request('GET', path)
    expect([...(answers[200] === undefined ? [] : Compile(answers[200].schema).Errors(body))], id).toEqual([])
  }
})

const propertiesOf = (schema: string): Record<string, Node> =>
  document.components['schemas']?.[schema]?.['properties'] as Record<string, Node>

function walk(value: unknown, place: string, visit: (node: Node, place: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Node, place)
  for (const [key, member] of Object.entries(value)) {
    // What stands in an example is data, whatever its names.
    if (key !== 'example' && key !== 'examples' && key !== 'value') walk(member, `${place}/${key}`, visit)
  }
}

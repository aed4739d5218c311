import { readFile } from 'node:fs/promises'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApi } from '../../scripts/generators/openapi.ts'
import { problems } from '../../src/errors.ts'
import { operations } from '../../src/api/operations.ts'
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

function walk(value: unknown, place: string, visit: (node: Node, place: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Node, place)
  for (const [key, member] of Object.entries(value)) {
    // What stands in an example is data, whatever its names.
    if (key !== 'example' && key !== 'examples' && key !== 'value') walk(member, `${place}/${key}`, visit)
  }
}

import type { TSchema } from 'typebox'
import { type ProblemCode, problems } from '../errors.ts'
import { apiDescription, componentSchemas } from './openapi-components.ts'
import { answerHeaders, refusalHeaders, successHeaders } from './openapi-headers.ts'
import { commonProblems, type DocumentedAnswer, type Operation } from './operation.ts'
import { operations } from './operations.ts'
import { problemExample } from './pages/problem-pages.ts'

/**
 * The reference for machines, OpenAPI 3.1, as JSON text: made from the same schemas that check bodies and type answers. Served at
 * /openapi.json and committed as docs/openapi.json.
 */
export function renderOpenApi(publicUrl: string): string {
  const paths = Object.values(operations).map((operation) => [
    operation.path,
    { [operation.method.toLowerCase()]: operationObject(operation) },
  ])
  const codes = [...new Set(Object.values(operations).flatMap(problemsOf))]
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'onesixty',
      version: '1.0.0',
      summary: 'Send SMS, see what became of them, and what may still be sent.',
      description: apiDescription,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'SMS', description: 'The four operations.' }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'onesixty_live_… or onesixty_test_…',
          description:
            'The API key, in the header `Authorization: Bearer <API_KEY>` and nowhere else. It decides account and mode.',
        },
      },
      schemas: Object.fromEntries(
        Object.entries(componentSchemas).map(([name, schema]) => [name, withReferences(schema, schema)]),
      ),
      headers: answerHeaders,
      examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

type AnyOperation = Omit<Operation<never>, 'handle'>

const problemsOf = (operation: AnyOperation): ProblemCode[] =>
  [...commonProblems, ...operation.problems].toSorted((a, b) => problems[a].status - problems[b].status)

function operationObject(operation: AnyOperation): object {
  const { id, summary, description, scope, answers, body } = operation
  const answered = Object.entries(answers).map(([status, answer]) => [status, answerObject(answer)])
  const refused = [...Map.groupBy(problemsOf(operation), (code) => problems[code].status)].map(
    ([status, codes]) => [String(status), problemObject(codes)],
  )
  return {
    operationId: id,
    tags: ['SMS'],
    summary,
    description: `${description}\n\nNeeds the scope \`${scope}\`.`,
    parameters: [
      ...parametersOf('query', operation.query),
      ...parametersOf('header', operation.headers),
      traceparent,
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: withReferences(body.schema), examples: body.examples } },
          },
        }),
    responses: { ...Object.fromEntries(answered), ...Object.fromEntries(refused) },
  }
}

const traceparent = {
  name: 'traceparent',
  in: 'header',
  required: false,
  description: 'W3C trace context; its trace id stands in the log of the service.',
  schema: { type: 'string' },
}

function parametersOf(place: 'query' | 'header', schema: TSchema | undefined): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, { description?: string }>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    schema: withReferences(rest),
  }))
}

const reference = (kind: 'headers' | 'examples' | 'schemas', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
})

const headerReferences = (names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, reference('headers', name)]))

function answerObject({ description, schema, example, headers = {} }: DocumentedAnswer): object {
  return {
    description,
    headers: { ...headerReferences(successHeaders), ...headers },
    content: { 'application/json': { schema: withReferences(schema), example } },
  }
}

function problemObject(codes: readonly ProblemCode[]): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].says}`).join('\n\n'),
    headers: headerReferences(refusalHeaders(codes)),
    content: {
      'application/problem+json': {
        schema: reference('schemas', 'Problem'),
        examples: Object.fromEntries(codes.map((code) => [code, reference('examples', code)])),
      },
    },
  }
}

const exampleOf = (code: ProblemCode): object => ({
  summary: problems[code].says,
  value: problemExample(code, 'http://localhost:8160'),
})

const names = new Map<unknown, string>(
  Object.entries(componentSchemas).map(([name, schema]) => [schema, name]),
)

/** A schema in which every named one stands as a reference; `root` itself is written out. */
function withReferences(schema: unknown, root?: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const name = schema === root ? undefined : names.get(schema)
  if (name !== undefined) return reference('schemas', name)
  if (Array.isArray(schema)) return schema.map((item) => withReferences(item))
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withReferences(value)]))
}

import type { TSchema } from 'typebox'
import { type ProblemCode, problems } from '../../runtime/errors.ts'
import { answerHeaders, refusalHeaders, successHeaders } from './openapi-headers.ts'
import { commonProblems, type DocumentedAnswer, type Operation } from '../edge/operation.ts'
import { problemExample } from '../pages/problem-pages.ts'

/** One operation as the reference describes it. */
export type DocumentedOperation = Omit<Operation<never, never>, 'handle'>

/** One API, as the reference describes it. */
export interface DocumentedInterface {
  title: string
  summary: string
  description: string
  tag: { name: string; description: string }
  /** Authentication: name of the scheme, and its description. */
  security: { name: string; bearerFormat: string; description: string }
  operations: readonly DocumentedOperation[]
  /** Webhooks, as OpenAPI describes them. Default: none. */
  webhooks?: object
  /** Named schemas. */
  schemas: Readonly<Record<string, TSchema>>
}

const webhooksTag = {
  name: 'Webhooks',
  description: 'Events that are sent to your webhook endpoints.',
}

type Names = ReadonlyMap<unknown, string>
interface Book {
  tag: string
  named: Names
}

/** Returns the OpenAPI 3.1 document, built from the same schemas that check bodies and type responses. */
export function openApiDocument(described: DocumentedInterface, publicUrl: string): object {
  const { operations, schemas, security, tag } = described
  const named: Names = new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]))
  const book = { tag: tag.name, named }
  const codes = [...new Set(operations.flatMap(problemsOf))]
  return {
    openapi: '3.1.0',
    info: {
      title: described.title,
      version: '1.0.0',
      summary: described.summary,
      description: described.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ [security.name]: [] }],
    tags: [tag, ...(described.webhooks === undefined ? [] : [webhooksTag])],
    paths: pathsOf(book, operations),
    ...(described.webhooks !== undefined && { webhooks: described.webhooks }),
    components: {
      securitySchemes: {
        [security.name]: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: security.bearerFormat,
          description: security.description,
        },
      },
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, withReferences(named, schema, schema)]),
      ),
      headers: answerHeaders,
      examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
    },
  }
}

/** Returns the path with its parameter in the syntax of OpenAPI. */
export const templateOf = (path: string): string => path.replace('/:account', '/{account_id}')

function pathsOf(book: Book, operations: readonly DocumentedOperation[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations)
    (paths[templateOf(operation.path)] ??= {})[operation.method.toLowerCase()] = operationObject(
      book,
      operation,
    )
  return paths
}

const accountParameter = {
  name: 'account_id',
  in: 'path',
  required: true,
  description: 'Account ID: `acc_…`.',
  schema: { type: 'string' },
}

const problemsOf = (operation: DocumentedOperation): ProblemCode[] =>
  [...commonProblems, ...operation.problems].toSorted((a, b) => problems[a].status - problems[b].status)

function operationObject({ tag, named }: Book, operation: DocumentedOperation): object {
  const { id, summary, description, scope, answers, body } = operation
  const answered = Object.entries(answers).map(([status, answer]) => [status, answerObject(named, answer)])
  const refused = [...Map.groupBy(problemsOf(operation), (code) => problems[code].status)].map(
    ([status, codes]) => [String(status), problemObject(codes)],
  )
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\nRequires the scope \`${scope}\`.`,
    parameters: [
      ...(operation.path.includes('/:account') ? [accountParameter] : []),
      ...parametersOf(named, 'query', operation.query),
      ...parametersOf(named, 'header', operation.headers),
      traceparent,
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: withReferences(named, body.schema), examples: body.examples },
            },
          },
        }),
    responses: { ...Object.fromEntries(answered), ...Object.fromEntries(refused) },
  }
}

const traceparent = {
  name: 'traceparent',
  in: 'header',
  required: false,
  description: 'W3C trace context. Its trace ID is written to the server log.',
  schema: { type: 'string' },
}

function parametersOf(named: Names, place: 'query' | 'header', schema: TSchema | undefined): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, { description?: string }>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    schema: withReferences(named, rest),
  }))
}

const reference = (kind: 'headers' | 'examples' | 'schemas', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
})

const headerReferences = (names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, reference('headers', name)]))

function answerObject(
  named: Names,
  { description, schema, example, headers = {} }: DocumentedAnswer,
): object {
  return {
    description,
    headers: { ...headerReferences(successHeaders), ...headers },
    content: { 'application/json': { schema: withReferences(named, schema), example } },
  }
}

function problemObject(codes: readonly ProblemCode[]): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].summary}`).join('\n\n'),
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
  summary: problems[code].summary,
  value: problemExample(code, 'http://localhost:8160'),
})

/** Returns a schema with references in place of named schemas; `root` itself is written out. */
function withReferences(named: Names, schema: unknown, root?: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const name = schema === root ? undefined : named.get(schema)
  if (name !== undefined) return reference('schemas', name)
  if (Array.isArray(schema)) return schema.map((item) => withReferences(named, item))
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withReferences(named, value)]))
}

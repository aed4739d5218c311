import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import type { TSchema } from 'typebox'
import { expect } from 'vitest'
import { componentSchemas } from '../../src/api/reference/openapi-components.ts'
import { type DocumentedOperation, templateOf } from '../../src/api/reference/openapi-document.ts'
import { commonProblems } from '../../src/api/edge/operation.ts'
import { type ProblemCode, problems } from '../../src/runtime/errors.ts'
import type { HeardWords } from './heard-words.ts'
import { type MadeRequest, requestsTo } from './made-requests.ts'
import type { TestAnswer } from './start-test-api.ts'

type Fuzzed = Omit<DocumentedOperation, 'summary' | 'description' | 'scope'>

type FuzzAnswer = Pick<TestAnswer, 'status' | 'headers' | 'body'>

export interface Fuzz {
  /** How many requests to make. */
  runs: number
  /** The reference that stands in docs/, as it is served. */
  reference: string
  /** The names of keys; of ten requests that a key of weight 10 makes, one of weight 1 makes one. */
  keys: Readonly<Record<string, number>>
  heard: HeardWords
  ask(method: string, address: string, request: MadeRequest): Promise<FuzzAnswer>
  /** Is shown each answer. */
  look: (key: string, answer: FuzzAnswer) => void
}

/** Sends requests to an operation and holds each answer to the reference. Gives the kinds of answers that were seen, and how many of each. */
export async function fuzzOperation(operation: Fuzzed, fuzz: Fuzz): Promise<Map<string, number>> {
  const hold = holdTo(operation, fuzz.reference)
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(requestsTo(operation, fuzz), async (request) => {
      for (let time = 0; time < request.times; time++) {
        const answer = await fuzz.ask(operation.method, `${request.path}?${request.query}`, request)
        hold(answer)
        const kind = `${answer.status} ${answer.status < 400 ? '' : answer.body.code}`
        seen.set(kind, (seen.get(kind) ?? 0) + 1)
        if (answer.status < 300) fuzz.heard.note(answer.body)
        fuzz.look(request.key, answer)
      }
    }),
    { numRuns: Math.ceil(fuzz.runs) },
  )
  return seen
}

const isProblem = Compile(componentSchemas['Problem'] as TSchema)

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

/** Expects of an answer that the reference names its status, its headers, its code and its form. */
function holdTo(operation: Fuzzed, reference: string): (answer: FuzzAnswer) => void {
  const codes = new Set<string>([...commonProblems, ...operation.problems])
  const forms = new Map(
    Object.entries(operation.answers).map(([status, { schema }]) => [Number(status), Compile(schema)]),
  )
  const documented = responsesOf(operation, reference)
  return ({ status, headers, body }) => {
    const response = documented.get(status)
    expect([...documented.keys()]).toContain(status)
    expect(response?.headers).toEqual(
      expect.arrayContaining([...headers.keys()].filter((name) => !unspoken.includes(name))),
    )
    expect(response?.types).toContain(headers.get('content-type')?.replace(/;.*$/, ''))
    const form = forms.get(status)
    if (form !== undefined) {
      expect([...form.Errors(body)]).toEqual([])
      return
    }
    expect(status).toBeLessThan(500)
    expect(isProblem.Check(body)).toBe(true)
    expect([...codes]).toContain(body.code)
    expect(status).toBe(problems[body.code as ProblemCode].status)
  }
}

/** The headers, in lower case, and the media types that the reference names for each status of an operation. */
function responsesOf(
  { path, method }: Fuzzed,
  reference: string,
): Map<number, { headers: string[]; types: string[] }> {
  const { paths } = JSON.parse(reference) as {
    paths: Record<string, Record<string, { responses: Record<string, { headers: object; content: object }> }>>
  }
  const { responses = {} } = paths[templateOf(path)]?.[method.toLowerCase()] ?? {}
  return new Map(
    Object.entries(responses).map(([status, { headers, content }]) => [
      Number(status),
      { headers: Object.keys(headers).map((name) => name.toLowerCase()), types: Object.keys(content) },
    ]),
  )
}

import type { IncomingHttpHeaders } from 'node:http'
import type { TSchema } from 'typebox'
import type { Scope } from '../accounts/keys/api-keys.ts'
import type { Caller } from '../accounts/keys/authenticator.ts'
import type { ProblemCode } from '../runtime/errors.ts'

/**
 * One operation of the interface, everything about it in one file of `v1/`. The server checks path, method, key, scope, rate and
 * media types before `handle` runs; the meaning of query and body is the operation's own, because an idempotency key is looked up
 * before the shape of a body is judged. The reference (docs/openapi.json) is generated from the rest.
 *
 * `Deps` is what the operation needs; `routes.ts` hands it in.
 */
export interface Operation<Deps> {
  /** Name in the reference and in generated clients, lowerCamel. */
  id: string
  method: 'GET' | 'POST'
  path: `/api/v1/${string}`
  scope: Scope
  /** Which rate limit it draws on. */
  kind: 'send' | 'read'
  summary: string
  /** Markdown for the reference. */
  description: string
  /** An object schema with a description on every member: the reference is made of it, and the reader of the body is held to it by a test. */
  body?: { schema: TSchema; examples: Readonly<Record<string, { summary: string; value: unknown }>> }
  /** An object schema whose members are the query parameters. */
  query?: TSchema
  /** Request headers that mean something to this operation alone; an object schema. */
  headers?: TSchema
  answers: Readonly<Partial<Record<200 | 202, DocumentedAnswer>>>
  /** Problems it can answer beyond those of every operation (`commonProblems`). */
  problems: readonly ProblemCode[]
  /** Answers, or throws a `Refusal`; anything else that is thrown becomes `internal_error`, a fault of storage `unavailable`. */
  handle(deps: Deps, call: Call): Promise<Answer>
}

export interface DocumentedAnswer {
  description: string
  schema: TSchema
  example: unknown
  /** Answer headers of this operation alone, by name. */
  headers?: Readonly<Record<string, { description: string; schema: TSchema }>>
}

/** One authenticated request. Nothing of Fastify passes this line. */
export interface Call {
  caller: Caller
  requestId: string
  /** What stands behind the `?`, undecoded, so that a bare `+` can be told from a space; empty without a query. */
  rawQuery: string
  /** The JSON value of the body; undefined with GET. */
  body: unknown
  headers: IncomingHttpHeaders
}

export interface Answer {
  status: 200 | 202
  /** An object is written by JSON.stringify; a string is taken for JSON text that is ready. */
  body: object | string
  headers?: Readonly<Record<string, string>>
}

/** What any operation may answer, whatever it does. */
export const commonProblems = [
  'malformed_request', 'invalid_header', 'unauthenticated', 'invalid_token', 'insufficient_scope', 'method_not_allowed',
  'not_acceptable', 'request_timeout', 'uri_too_long', 'headers_too_large', 'rate_limited', 'internal_error', 'unavailable', 'storage_damaged',
] as const satisfies readonly ProblemCode[] // prettier-ignore

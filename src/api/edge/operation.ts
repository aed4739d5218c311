import type { IncomingHttpHeaders } from 'node:http'
import type { TSchema } from 'typebox'
import type { Scope } from '../../accounts/keys/api-keys.ts'
import type { Caller } from '../../accounts/keys/authenticator.ts'
import type { ProblemCode } from '../../runtime/errors.ts'

/**
 * One operation of the API, completely described in one file of `v1/`. The server checks path, method, key,
 * scope, rate and media types before `handle` runs. The operation itself checks query and body, because an
 * idempotency key is looked up before the body is validated. The reference (docs/openapi.json) is generated
 * from the rest.
 *
 * `Deps` are the dependencies of the operation; `routes.ts` passes them in.
 */
export interface Operation<Deps> {
  /** Name in the reference and in generated clients, lower camel case. */
  id: string
  method: 'GET' | 'POST'
  path: `/api/v1/${string}`
  scope: Scope
  /** Rate limit that applies. */
  kind: 'send' | 'read'
  summary: string
  /** Markdown for the reference. */
  description: string
  /**
   * An object schema with a description for each member. The reference is made from it, and a test compares
   * it with the body reader.
   */
  body?: { schema: TSchema; examples: Readonly<Record<string, { summary: string; value: unknown }>> }
  /** An object schema whose members are the query parameters. */
  query?: TSchema
  /** Request headers of this operation only; an object schema. */
  headers?: TSchema
  answers: Readonly<Partial<Record<200 | 202, DocumentedAnswer>>>
  /** Problems in addition to `commonProblems`. */
  problems: readonly ProblemCode[]
  /**
   * Returns the response, or throws a `Refusal`. Anything else that is thrown becomes `internal_error`, a
   * storage fault `unavailable`.
   */
  handle(deps: Deps, call: Call): Promise<Answer>
}

export interface DocumentedAnswer {
  description: string
  schema: TSchema
  example: unknown
  /** Response headers of this operation only, by name. */
  headers?: Readonly<Record<string, { description: string; schema: TSchema }>>
}

/** One authenticated request. Nothing of Fastify is visible beyond this type. */
export interface Call {
  caller: Caller
  requestId: string
  /**
   * The query after the `?`, undecoded, so that a bare `+` can be distinguished from a space; empty without a
   * query.
   */
  rawQuery: string
  /** JSON value of the body; undefined with GET. */
  body: unknown
  headers: IncomingHttpHeaders
}

export interface Answer {
  status: 200 | 202
  /** An object is serialized by JSON.stringify; a string must be JSON text. */
  body: object | string
  headers?: Readonly<Record<string, string>>
}

/** Problems that every operation can return. */
export const commonProblems = [
  'malformed_request', 'invalid_header', 'unauthenticated', 'invalid_token', 'insufficient_scope', 'method_not_allowed',
  'not_acceptable', 'request_timeout', 'uri_too_long', 'headers_too_large', 'rate_limited', 'internal_error', 'unavailable', 'storage_damaged',
] as const satisfies readonly ProblemCode[] // prettier-ignore

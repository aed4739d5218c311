import type { IncomingHttpHeaders } from 'node:http'
import type { TObject, TSchema } from 'typebox'
import type { ProblemCode } from '../../runtime/errors.ts'

/**
 * One operation of an API with tokens (`/api/v1`, `/operator/v1`), completely described in one file. The
 * server checks path, method, token, scope, rate and media types before `handle` runs. The operation itself
 * checks query and body, because an idempotency key is looked up before the body is validated. The reference
 * is generated from the rest.
 *
 * `Deps` are the dependencies of the operation, `Caller` is the owner of the token, `Scope` a permission of it.
 */
export interface Operation<Deps, Caller, Scope extends string = string> {
  /** Name in the reference and in generated clients, lower camel case. */
  id: string
  method: 'GET' | 'POST'
  /** `:account` in it is an account ID. */
  path: `/${string}`
  scope: Scope
  summary: string
  /** Markdown for the reference. */
  description: string
  /**
   * An object schema with a description for each member. The reference is made from it, and the body is read
   * by it.
   */
  body?: { schema: TSchema; examples: Readonly<Record<string, { summary: string; value: unknown }>> }
  /** An object schema whose members are the query parameters. Without any, each parameter is refused. */
  query?: TObject
  /** Request headers of this operation only; an object schema. */
  headers?: TSchema
  answers: Readonly<Partial<Record<Status, DocumentedAnswer>>>
  /** Problems in addition to `commonProblems`. */
  problems: readonly ProblemCode[]
  /**
   * Returns the response, or throws a `Refusal`. Anything else that is thrown becomes `internal_error`, a
   * storage fault `unavailable`.
   */
  handle(deps: Deps, call: Call<Caller>): Promise<Answer>
}

type Status = 200 | 201 | 202

export interface DocumentedAnswer {
  description: string
  schema: TSchema
  example: unknown
  /** Response headers of this operation only, by name. */
  headers?: Readonly<Record<string, { description: string; schema: TSchema }>>
}

/** One authenticated request. Nothing of Fastify is visible beyond this type. */
export interface Call<Caller> {
  caller: Caller
  requestId: string
  /** The account ID in the path; empty for paths without one. */
  accountId: string
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
  status: Status
  /** An object is serialized by JSON.stringify; a string must be JSON text. */
  body: object | string
  headers?: Readonly<Record<string, string>>
}

/** Problems that every operation can return. */
export const commonProblems = [
  'malformed_request', 'invalid_header', 'unauthenticated', 'invalid_token', 'insufficient_scope', 'method_not_allowed',
  'not_acceptable', 'request_timeout', 'uri_too_long', 'headers_too_large', 'rate_limited', 'internal_error', 'unavailable', 'storage_damaged',
] as const satisfies readonly ProblemCode[] // prettier-ignore

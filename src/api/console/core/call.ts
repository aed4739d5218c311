import type { ServerResponse } from 'node:http'
import type { Static, TObject } from 'typebox'
import type { Clock } from '../../../runtime/clock.ts'
import type { Config } from '../../../config.ts'
import type { Ids } from '../../../runtime/ids.ts'
import type { Db, ReadOf } from '../../../storage/seam/dialect.ts'
import type { Mode } from '../../../storage/tables/schema.ts'
import type { Writer } from '../../../storage/seam/writer.ts'
import type { RequestLog } from '../../edge/record-request.ts'
import type { Auth } from './auth.ts'
import type { LiveFeed } from './live-feed.ts'
import type { ConsolePorts } from './console-ports.ts'

/**
 * Who is allowed to make a call: anyone; a signed-in user; a member or owner of the account in the query; the
 * operator, who can also open every account.
 */
export type Access = 'anyone' | 'user' | 'member' | 'owner' | 'operator'

/** Dependencies of every call. */
export interface Surroundings {
  /** Limited to the rows of the account, in calls for an account. */
  read: Db
  readOf: ReadOf
  writer: Writer
  clock: Clock
  ids: Ids
  config: Config
  log: RequestLog
  auth: Auth
  live: LiveFeed
  ports: ConsolePorts
  /** Public URL of the service. */
  publicUrl: () => string
}

/** Context of one request. */
export interface CallContext extends Surroundings {
  requestId: string
  address: string
  headers: Headers
  /** Adds a `Set-Cookie` header to the response. */
  setCookie(cookie: string): void
}

export interface ConsoleUser {
  id: string
  email: string
  name: string
  isOperator: boolean
}

export interface UserContext extends CallContext {
  user: ConsoleUser
  sessionId: string
  /** Actor for the audit log. */
  actor: string
}

export interface AccountContext extends UserContext {
  account: { id: string; name: string; mode: Mode; role: 'owner' | 'member' }
  /**
   * Checks again whether the user is allowed to do this. `read` is limited to the account and does not see
   * all of the required rows.
   */
  guardAgain(): Promise<void>
}

export type ContextOf<A extends Access> = A extends 'anyone'
  ? CallContext
  : A extends 'user' | 'operator'
    ? UserContext
    : AccountContext

interface Shape<A extends Access, I extends TObject> {
  access: A
  input: I
  /** The call checks for NUL itself, row by row: a NUL in one text refuses no other. */
  judgesNul?: true
}

/** A call responds with JSON. A read changes nothing and is a GET; a change is a POST. */
export interface Call<A extends Access = Access, I extends TObject = TObject, O = unknown> extends Shape<
  A,
  I
> {
  kind: 'read' | 'change'
  handle(context: ContextOf<A>, input: Static<I>): Promise<O>
}

/**
 * A response without a defined end: server-sent events. Ends when the client disconnects, the server stops,
 * or `write` requests it.
 */
export interface Stream<A extends Access = Access, I extends TObject = TObject> extends Shape<A, I> {
  kind: 'stream'
  /** Refuses before anything is written. */
  admit?(context: ContextOf<A>): void
  open(context: ContextOf<A>, input: Static<I>, response: ServerResponse): void
}

/** A file that is written while it is read. */
export interface Download<A extends Access = Access, I extends TObject = TObject> extends Shape<A, I> {
  kind: 'download'
  handle(context: ContextOf<A>, input: Static<I>): Promise<DownloadedFile>
}

export interface DownloadedFile {
  name: string
  contentType: string
  chunks: AsyncIterable<string>
  /** Called once when nothing more will be read, wherever it stopped. */
  ended?: () => void
  /** Headers of the response, such as the number of rows. */
  headers?: Readonly<Record<string, string>>
}

export const defineCall = <A extends Access, I extends TObject, O>(call: Call<A, I, O>): Call<A, I, O> => call
export const defineStream = <A extends Access, I extends TObject>(
  stream: Omit<Stream<A, I>, 'kind'>,
): Stream<A, I> => ({ kind: 'stream', ...stream })
/** @public */
export const defineDownload = <A extends Access, I extends TObject>(
  download: Omit<Download<A, I>, 'kind'>,
): Download<A, I> => ({ kind: 'download', ...download })

/** Any entry of the call table, regardless of its types. */
// The guard has checked contexts and inputs against `access` and `input`.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyCall = Call<any, any> | Stream<any, any> | Download<any, any>

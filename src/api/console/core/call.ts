import type { ServerResponse } from 'node:http'
import type { Static, TObject } from 'typebox'
import type { Clock } from '../../../runtime/clock.ts'
import type { Config } from '../../../config.ts'
import type { Ids } from '../../../runtime/ids.ts'
import type { Db, ReadOf } from '../../../storage/seam/dialect.ts'
import type { Mode } from '../../../storage/tables/schema.ts'
import type { Writer } from '../../../storage/seam/writer.ts'
import type { RequestLog } from '../../respond.ts'
import type { Auth } from './auth.ts'
import type { LiveFeed } from './live-feed.ts'
import type { ConsolePorts } from './console-ports.ts'

/**
 * Who may make a call: anyone; a person who is signed in; a member or the owner of the account in the query; the operator, who may
 * also open every account.
 */
export type Access = 'anyone' | 'user' | 'member' | 'owner' | 'operator'

/** What every call has at hand. */
export interface Surroundings {
  /** Of a call for an account: that account's rows. */
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
  /** The address that others know the service by. */
  publicUrl: () => string
}

/** Of one request. */
export interface CallContext extends Surroundings {
  requestId: string
  address: string
  headers: Headers
  /** Adds a `Set-Cookie` header to the answer. */
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
  /** Who did it, for the audit log. */
  actor: string
}

export interface AccountContext extends UserContext {
  account: { id: string; name: string; mode: Mode; role: 'owner' | 'member' }
  /** Asks once more whether this person may do this: `read` sees no more than the account, and that not of everybody. */
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
  /** It looks for NUL itself, row by row: one in a text refuses no other. */
  judgesNul?: true
}

/** A call answers with JSON: a read changes nothing and is a GET, a change is a POST. */
export interface Call<A extends Access = Access, I extends TObject = TObject, O = unknown> extends Shape<
  A,
  I
> {
  kind: 'read' | 'change'
  handle(context: ContextOf<A>, input: Static<I>): Promise<O>
}

/** An answer without an end: server-sent events. It ends when the client goes, when the server stops, or when `write` says so. */
export interface Stream<A extends Access = Access, I extends TObject = TObject> extends Shape<A, I> {
  kind: 'stream'
  /** Refuses before anything is written. */
  admit?(context: ContextOf<A>): void
  open(context: ContextOf<A>, input: Static<I>, response: ServerResponse): void
}

/** A file, written as it is read. */
export interface Download<A extends Access = Access, I extends TObject = TObject> extends Shape<A, I> {
  kind: 'download'
  handle(context: ContextOf<A>, input: Static<I>): Promise<DownloadedFile>
}

export interface DownloadedFile {
  name: string
  contentType: string
  chunks: AsyncIterable<string>
  /** Called once when nothing more of it will be asked for, however far it came. */
  ended?: () => void
  /** Of the answer, such as how many rows come. */
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

/** Something of the console's table, whatever its types. */
// Contexts and inputs are what the guard has checked against `access` and `input`.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyCall = Call<any, any> | Stream<any, any> | Download<any, any>

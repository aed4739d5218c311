import type { IncomingMessage } from 'node:http'

/** What the checks before an operation read of a request, however it was read from its connection. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'socket'>

/** A request that is being handled. A `FastifyRequest` is one. */
export interface Handled {
  /** Its request ID. */
  id: string
  raw: RequestHead
  progress: Progress
}

/** What is known about a request while it is handled. */
export interface Progress {
  startedMs: number
  /** Path for logs and metrics: a known route, or null. */
  route: string | null
  isSend: boolean
  caller: LoggedCaller | null
  /** Headers of the rate limits; on every response from the moment they are known. */
  headers: readonly string[] | null
}

/** How the log names the owner of a credential: never the credential itself. */
export interface LoggedCaller {
  account?: string
  key?: string
  /** Device that sent the request, on the routes of phones. */
  device?: string
  /** API token of the operator API. */
  operator_token?: string
}

export const newProgress = (startedMs: number): Progress => ({
  startedMs,
  route: null,
  isSend: false,
  caller: null,
  headers: null,
})

/** Counts a header in the request; `headers` has only the first of some. `name` is in lower case. */
export function countHeaders({ rawHeaders }: Pick<RequestHead, 'rawHeaders'>, name: string): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] as string
    if (given.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count
}

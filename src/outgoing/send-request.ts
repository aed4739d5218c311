import { type IncomingMessage, request } from 'node:http'
import { readUpTo } from '../runtime/read-up-to.ts'
import { type KeptConnections, OneConnection } from './kept-connections.ts'
import { beforeEnd, type ConnectionDeps, ConnectionError, nameOf, openConnection } from './open-connection.ts'

export interface OutgoingRequest {
  method: string
  url: URL
  headers: Readonly<Record<string, string>>
  body: string | null
}

/**
 * What became known of one request.
 * - `not_sent`: no octet of it left.
 * - `unanswered`: octets left, and no whole answer arrived that can be read; the peer may have acted on it.
 */
export type SentRequest =
  | { kind: 'not_sent'; because: ConnectionError['because'] | 'timed_out' | 'withdrawn'; detail: string }
  | { kind: 'unanswered'; detail: string }
  | { kind: 'answered'; status: number; headers: Readonly<Record<string, string>>; body: string }

export interface SendDeps extends ConnectionDeps {
  /** Aborts at the end of the time for the whole exchange. */
  deadline: AbortSignal
  /** Asked right before the first octet: with false, nothing is sent. */
  mayWrite(): boolean
  maxAnswerBytes: number
  /**
   * Connections to use again. One may be closed by the peer while a request leaves, which is then `unanswered`. Omitted: each
   * request has its own.
   */
  kept?: KeptConnections | undefined
}

/** Sends one request and reads its whole answer. Follows no redirect, and repeats nothing. Never throws. */
export async function sendRequest(deps: SendDeps, given: OutgoingRequest): Promise<SentRequest> {
  const { deadline, mayWrite, kept } = deps
  let connection = kept?.take(given.url) ?? null
  try {
    connection ??= new OneConnection(await openConnection(deps, given.url, deadline))
  } catch (error) {
    if (error instanceof ConnectionError)
      return { kind: 'not_sent', because: error.because, detail: error.message }
    return { kind: 'not_sent', because: 'timed_out', detail: 'no connection in time' }
  }
  let isKept = false
  try {
    if (!mayWrite()) return { kind: 'not_sent', because: 'withdrawn', detail: 'it was withdrawn in time' }
    const sent = await exchange(connection, given, deps)
    isKept = kept !== undefined && sent.kind === 'answered'
    return sent
  } catch (error) {
    const detail = deadline.aborted ? 'no whole answer in time' : `no whole answer: ${nameOf(error)}`
    return { kind: 'unanswered', detail }
  } finally {
    if (isKept) kept?.put(given.url, connection)
    else connection.close()
  }
}

async function exchange(
  connection: OneConnection,
  { method, url, headers, body }: OutgoingRequest,
  { deadline, maxAnswerBytes, kept }: SendDeps,
): Promise<SentRequest> {
  const responding = new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({
      agent: connection,
      host: url.hostname,
      port: url.port === '' ? null : url.port,
      method,
      path: url.pathname + url.search,
      headers: {
        ...headers,
        host: url.host,
        'accept-encoding': 'identity',
        connection: kept === undefined ? 'close' : 'keep-alive',
        ...(body !== null && { 'content-length': Buffer.byteLength(body) }),
      },
    })
    sent.on('error', reject)
    sent.on('response', resolve)
    sent.on('upgrade', () => reject(new Error('it answered by an upgrade')))
    sent.end(body ?? undefined)
  })
  const response = await beforeEnd(deadline, responding)
  const octets = await beforeEnd(deadline, readUpTo(response, maxAnswerBytes))
  if (octets === null)
    return { kind: 'unanswered', detail: `its answer has more than ${maxAnswerBytes} octets` }
  if (!response.complete) return { kind: 'unanswered', detail: 'its answer is not whole' }
  if ((response.headers['content-encoding'] ?? 'identity') !== 'identity')
    return { kind: 'unanswered', detail: 'its answer is compressed, which was not asked for' }
  const given = Object.entries(response.headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return {
    kind: 'answered',
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(given),
    body: octets.toString('utf8'),
  }
}

import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { readUpTo } from '../runtime/read-up-to.ts'
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
}

/**
 * Sends one request over a connection of its own, and reads its whole answer. Follows no redirect, and repeats nothing.
 * Never throws.
 */
export async function sendRequest(deps: SendDeps, given: OutgoingRequest): Promise<SentRequest> {
  const { deadline, mayWrite } = deps
  let socket: Socket
  try {
    socket = await openConnection(deps, given.url, deadline)
  } catch (error) {
    if (error instanceof ConnectionError)
      return { kind: 'not_sent', because: error.because, detail: error.message }
    return { kind: 'not_sent', because: 'timed_out', detail: 'no connection in time' }
  }
  try {
    if (!mayWrite()) return { kind: 'not_sent', because: 'withdrawn', detail: 'it was withdrawn in time' }
    return await exchange(socket, given, deps)
  } catch (error) {
    const detail = deadline.aborted ? 'no whole answer in time' : `no whole answer: ${nameOf(error)}`
    return { kind: 'unanswered', detail }
  } finally {
    socket.destroy()
  }
}

async function exchange(
  socket: Socket,
  { method, url, headers, body }: OutgoingRequest,
  { deadline, maxAnswerBytes }: SendDeps,
): Promise<SentRequest> {
  const responding = new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
      headers: {
        ...headers,
        host: url.host,
        'accept-encoding': 'identity',
        connection: 'close',
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

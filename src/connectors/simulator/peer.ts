import { Agent, request, type ClientRequest } from 'node:http'
import type { Submission, Outcome } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'

/** The response of the peer to a message. */
export type PeerAnswer = { kind: 'taken' } | Extract<Outcome, { kind: 'refused' | 'unavailable' | 'unknown' }>

/** A process that gets each message before the device responds. */
export interface Peer {
  /** Posts one message. Never throws; settles within `timeoutMs`. */
  post(submission: Submission): Promise<PeerAnswer>
  /** Closes the connections once all open requests have ended. */
  close(): void
}

const timeoutMs = 10_000
/**
 * Connections to the peer: enough to keep one core busy, few enough for its backlog. Later posts wait for a
 * free one.
 */
const maxSockets = 64

/** Creates a peer at a loopback address, over kept-alive connections. */
export function createPeer(tools: Pick<ConnectorTools, 'schedule'>, url: string): Peer {
  const agent = new Agent({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets })
  const { hostname, port, pathname, search } = new URL(url)
  const target = {
    agent,
    method: 'POST',
    // A literal IPv6 address has brackets only in a URL.
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    path: pathname + search,
    headers: { 'content-type': 'application/json' },
  }
  let open = 0
  let isClosed = false

  const ended = (): void => {
    open -= 1
    if (isClosed && open === 0) agent.destroy()
  }

  const post = (submission: Submission): Promise<PeerAnswer> =>
    new Promise((resolve) => {
      open += 1
      const posting = request(target)
      const cancelTimeout = tools.schedule(timeoutMs, () =>
        posting.destroy(new Error('The peer did not respond in time.')),
      )
      posting.once('response', (response) => {
        resolve(answerOf(response.statusCode ?? 0))
        response.resume()
      })
      posting.once('error', (error: NodeJS.ErrnoException) => resolve(failureOf(error, posting)))
      posting.once('close', () => {
        cancelTimeout()
        resolve({ kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'The peer closed the connection.' })
        ended()
      })
      posting.end(bodyOf(submission))
    })

  const close = (): void => {
    isClosed = true
    if (open === 0) agent.destroy()
  }
  return { post, close }
}

const bodyOf = ({ attemptId, to, from, text, parts }: Submission): string =>
  JSON.stringify({ attempt_id: attemptId, to, from, text, parts })

function answerOf(status: number): PeerAnswer {
  if (status >= 200 && status < 300) return { kind: 'taken' }
  const networkCode = String(status)
  if (status === 503) return { kind: 'refused', lasts: 'busy', code: 'network_congested', networkCode }
  if (status >= 400 && status < 500)
    return { kind: 'refused', lasts: 'good', code: 'network_rejected', networkCode }
  return {
    kind: 'unknown',
    networkIds: [],
    partsTaken: 0,
    detail: `The peer returned status ${status}.`,
    answered: { networkCode },
  }
}

/**
 * It is certain that nothing was submitted only if there was no connection: a failed connect, or still
 * waiting for a socket.
 */
function failureOf(error: NodeJS.ErrnoException, posting: ClientRequest): PeerAnswer {
  const detail = error.code === undefined ? error.message : `The peer cannot be reached: ${error.code}.`
  if (error.syscall === 'connect' || posting.socket === null) return { kind: 'unavailable', detail }
  return { kind: 'unknown', networkIds: [], partsTaken: 0, detail }
}

import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import {
  beforeEnd,
  type ConnectionDeps,
  ConnectionError,
  nameOf,
  openConnection,
} from '../outgoing/open-connection.ts'
import { webhookSettings } from '../settings/webhook-settings.ts'

/** The result of one POST: the response, or why there was none. */
export type PostResult =
  | { kind: 'answered'; status: number; retryAfter: string | null; answer: string }
  | { kind: 'failed'; because: PostFailure; detail: string }

export type PostFailure =
  | 'address_refused'
  | 'name_not_found'
  | 'not_connected'
  | 'tls_failed'
  | 'timed_out'
  | 'no_http'
  | 'not_signed'

/** Returns whether the receiver accepted the delivery: anything but 2xx is a failure. */
export const isAccepted = (result: PostResult): boolean =>
  result.kind === 'answered' && result.status >= 200 && result.status <= 299

export type PostDeps = Omit<ConnectionDeps, 'allowedBy'>

/** Bytes of a response that are read, and kept for the log. */
const keptBytes = 1_024
/** Only the status matters. The body is for the log, and is not waited for. */
const bodyWaitMs = 1_000

/**
 * Posts `body` once, over a connection of its own to an address that the guard permits, and follows no redirect. Never
 * throws.
 */
export async function post(
  deps: PostDeps,
  url: URL,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
): Promise<PostResult> {
  const deadline = AbortSignal.timeout(deps.timeoutMs)
  let socket: Socket | null = null
  try {
    socket = await openConnection({ ...deps, allowedBy: webhookSettings.webhookAllow.env }, url, deadline)
    return await exchange(socket, url, { headers, body, deadline })
  } catch (error) {
    if (deadline.aborted)
      return { kind: 'failed', because: 'timed_out', detail: `no response within ${deps.timeoutMs} ms` }
    if (error instanceof ConnectionError)
      return { kind: 'failed', because: error.because, detail: error.message }
    return { kind: 'failed', because: 'no_http', detail: nameOf(error) }
  } finally {
    socket?.destroy()
  }
}

async function exchange(
  socket: Socket,
  url: URL,
  {
    headers,
    body,
    deadline,
  }: { headers: Readonly<Record<string, string>>; body: string; deadline: AbortSignal },
): Promise<PostResult> {
  const responding = new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({
      createConnection: () => socket,
      method: 'POST',
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body), connection: 'close' },
    })
    sent.on('error', reject)
    sent.on('response', resolve)
    // No upgrade was requested. Without a listener, one would count as no response.
    sent.on('upgrade', resolve)
    sent.end(body)
  })
  const response = await beforeEnd(deadline, responding)
  return {
    kind: 'answered',
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'] ?? null,
    // A status in time counts, however long its body takes.
    answer: await readBeginning(response),
  }
}

/** Returns the beginning of a body, as far as it arrives within `bodyWaitMs`. */
function readBeginning(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (): void => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8'))
    }
    const timer = setTimeout(finish, bodyWaitMs)
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if ((size += chunk.length) >= keptBytes) finish()
    })
    response.on('end', finish)
    response.on('error', finish)
  })
}

import { type IncomingMessage, request } from 'node:http'
import { connect as connectSocket, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { AddressGuard } from './address-guard.ts'
import type { FindAddresses } from './find-addresses.ts'

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

export interface PostDeps {
  guard: Pick<AddressGuard, 'permits'>
  findAddresses: FindAddresses
  timeoutMs: number
  /** Certificates trusted in addition to the usual ones; for tests. */
  ca?: string
  /** For tests. */
  connect?: typeof connectSocket
}

/** Bytes of a response that are read, and kept for the log. */
const keptBytes = 1_024
/** Only the status matters. The body is for the log, and is not waited for. */
const bodyWaitMs = 1_000

/**
 * Posts `body` once and follows no redirect. Resolves the name once, checks each address against the guard,
 * and connects to the address itself: Node ignores its own `blockList` over TLS, and a lookup hook never sees
 * an address written in the URL. Never throws.
 */
export async function post(
  deps: PostDeps,
  url: URL,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
): Promise<PostResult> {
  const deadline = AbortSignal.timeout(deps.timeoutMs)
  let socket: Socket | null = null
  try {
    socket = await connectTo(deps, url, deadline)
    return await exchange(socket, url, { headers, body, deadline })
  } catch (error) {
    if (deadline.aborted)
      return { kind: 'failed', because: 'timed_out', detail: `no response within ${deps.timeoutMs} ms` }
    if (error instanceof PostError) return { kind: 'failed', because: error.because, detail: error.message }
    return { kind: 'failed', because: 'no_http', detail: nameOf(error) }
  } finally {
    socket?.destroy()
  }
}

class PostError extends Error {
  readonly because: PostFailure

  constructor(because: PostFailure, detail: string) {
    super(detail)
    this.because = because
  }
}

/** Opens a raw connection to an address that the guard permits, with TLS on top for an https URL. */
async function connectTo(deps: PostDeps, url: URL, deadline: AbortSignal): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const found = await beforeEnd(deadline, deps.findAddresses(host)).catch((error: unknown) => {
    throw new PostError('name_not_found', nameOf(error))
  })
  const permitted = found.filter((address) => deps.guard.permits(host, address))
  if (permitted.length === 0)
    throw new PostError(
      'address_refused',
      'the host has no public address; the operator can allow it with ONESIXTY_WEBHOOK_ALLOW',
    )
  const isTls = url.protocol === 'https:'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const raw = await connectToFirst(deps, { host, port, addresses: permitted }, deadline)
  return isTls ? await secure(raw, { host, ca: deps.ca }, deadline) : raw
}

/** Tries the addresses in order. A silent address leaves time for the next ones, and for the exchange. */
async function connectToFirst(
  { guard, timeoutMs, connect = connectSocket }: PostDeps,
  { host, port, addresses }: { host: string; port: number; addresses: readonly string[] },
  deadline: AbortSignal,
): Promise<Socket> {
  let failure: unknown = null
  const tried = addresses.slice(0, maxAddresses)
  const shareMs = Math.floor(timeoutMs / (tried.length + 1))
  for (const address of tried) {
    const socket = connect({ host: address, port, autoSelectFamily: false })
    const isLast = address === tried.at(-1)
    try {
      await settled(
        socket,
        'connect',
        isLast ? deadline : AbortSignal.any([deadline, AbortSignal.timeout(shareMs)]),
      )
      // The address that the socket reports decides, not the requested one.
      if (guard.permits(host, socket.remoteAddress ?? '')) return socket
      throw new PostError(
        'address_refused',
        'the connection reached an address that webhooks are not allowed to use',
      )
    } catch (error) {
      socket.destroy()
      if (error instanceof PostError || deadline.aborted) throw error
      failure = error
    }
  }
  throw new PostError('not_connected', nameOf(failure))
}

const maxAddresses = 4

async function secure(
  raw: Socket,
  { host, ca }: { host: string; ca: string | undefined },
  deadline: AbortSignal,
): Promise<Socket> {
  const socket = connectTls({
    socket: raw,
    host,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
  })
  try {
    await settled(socket, 'secureConnect', deadline)
  } catch (error) {
    socket.destroy()
    throw new PostError('tls_failed', nameOf(error))
  }
  return socket
}

/** Resolves with the event, and rejects with an error of the socket or at the deadline. */
function settled(socket: Socket, event: 'connect' | 'secureConnect', deadline: AbortSignal): Promise<void> {
  return beforeEnd(
    deadline,
    new Promise<void>((resolve, reject) => {
      socket.once(event, () => resolve())
      socket.on('error', reject)
      socket.once('close', () => reject(new Error('closed')))
    }),
  )
}

function beforeEnd<T>(deadline: AbortSignal, wanted: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end = (): void => reject(deadline.reason as Error)
    if (deadline.aborted) end()
    deadline.addEventListener('abort', end, { once: true })
    wanted.then(resolve, reject).finally(() => deadline.removeEventListener('abort', end))
  })
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

/** Returns the code of a system error, or its message. Neither contains what the endpoint sent. */
const nameOf = (error: unknown): string => {
  const { code, message } = (error ?? {}) as { code?: string; message?: string }
  return (code ?? message ?? 'unknown').slice(0, 200)
}

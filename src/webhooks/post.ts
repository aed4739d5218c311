import { type IncomingMessage, request } from 'node:http'
import { connect as connectSocket, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { AddressGuard } from './address-guard.ts'
import type { FindAddresses } from './find-addresses.ts'

/** What came of one POST: what was answered, or why nothing was. */
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

/** Whether the receiver has it: everything but a 2xx is a failure. */
export const isTaken = (result: PostResult): boolean =>
  result.kind === 'answered' && result.status >= 200 && result.status <= 299

export interface PostDeps {
  guard: Pick<AddressGuard, 'permits'>
  findAddresses: FindAddresses
  timeoutMs: number
  /** Certificates that are trusted beside the usual ones; for tests. */
  ca?: string
  /** For tests. */
  connect?: typeof connectSocket
}

/** So much of an answer is read, and kept for the log. */
const keptBytes = 1_024
/** The status says it all; what follows it is for the log, and not waited for. */
const bodyWaitMs = 1_000

/**
 * Posts `body` once and follows no redirect. The name is looked up once, each address held against the guard, and the connection made to the address
 * itself: Node's own `blockList` is not heard over TLS, and a hook in the look-up never sees an address that stands in the URL. Never throws.
 */
export async function post(
  deps: PostDeps,
  url: URL,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
): Promise<PostResult> {
  const ending = AbortSignal.timeout(deps.timeoutMs)
  let socket: Socket | null = null
  try {
    socket = await connectTo(deps, url, ending)
    return await exchange(socket, url, { headers, body, ending })
  } catch (error) {
    if (ending.aborted)
      return { kind: 'failed', because: 'timed_out', detail: `no answer within ${deps.timeoutMs} ms` }
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

/** A raw connection to an address that the guard permits, with TLS on top where the URL asks for it. */
async function connectTo(deps: PostDeps, url: URL, ending: AbortSignal): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const found = await beforeEnd(ending, deps.findAddresses(host)).catch((error: unknown) => {
    throw new PostError('name_not_found', nameOf(error))
  })
  const permitted = found.filter((address) => deps.guard.permits(host, address))
  if (permitted.length === 0)
    throw new PostError(
      'address_refused',
      'the host leads to no public address; the operator can allow it with ONESIXTY_WEBHOOK_ALLOW',
    )
  const isTls = url.protocol === 'https:'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const raw = await connectToFirst(deps, { host, port, addresses: permitted }, ending)
  return isTls ? await secure(raw, { host, ca: deps.ca }, ending) : raw
}

/** One that is silent leaves time for those behind it, and for the exchange. */
async function connectToFirst(
  { guard, timeoutMs, connect = connectSocket }: PostDeps,
  { host, port, addresses }: { host: string; port: number; addresses: readonly string[] },
  ending: AbortSignal,
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
        isLast ? ending : AbortSignal.any([ending, AbortSignal.timeout(shareMs)]),
      )
      // What the socket says that it is connected to decides, whatever was asked for.
      if (guard.permits(host, socket.remoteAddress ?? '')) return socket
      throw new PostError('address_refused', 'the connection leads to an address that webhooks may not go to')
    } catch (error) {
      socket.destroy()
      if (error instanceof PostError || ending.aborted) throw error
      failure = error
    }
  }
  throw new PostError('not_connected', nameOf(failure))
}

const maxAddresses = 4

async function secure(
  raw: Socket,
  { host, ca }: { host: string; ca: string | undefined },
  ending: AbortSignal,
): Promise<Socket> {
  const socket = connectTls({
    socket: raw,
    host,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
  })
  try {
    await settled(socket, 'secureConnect', ending)
  } catch (error) {
    socket.destroy()
    throw new PostError('tls_failed', nameOf(error))
  }
  return socket
}

/** Settles with the event, an error of the socket, or the end of the time. */
function settled(socket: Socket, event: 'connect' | 'secureConnect', ending: AbortSignal): Promise<void> {
  return beforeEnd(
    ending,
    new Promise<void>((resolve, reject) => {
      socket.once(event, () => resolve())
      socket.on('error', reject)
      socket.once('close', () => reject(new Error('closed')))
    }),
  )
}

function beforeEnd<T>(ending: AbortSignal, wanted: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end = (): void => reject(ending.reason as Error)
    if (ending.aborted) end()
    ending.addEventListener('abort', end, { once: true })
    wanted.then(resolve, reject).finally(() => ending.removeEventListener('abort', end))
  })
}

async function exchange(
  socket: Socket,
  url: URL,
  { headers, body, ending }: { headers: Readonly<Record<string, string>>; body: string; ending: AbortSignal },
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
    // Nobody asked for another protocol; unheard, it would count as silence.
    sent.on('upgrade', resolve)
    sent.end(body)
  })
  const response = await beforeEnd(ending, responding)
  return {
    kind: 'answered',
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'] ?? null,
    // A status that came in time counts, however long its body takes.
    answer: await readBegin(response),
  }
}

/** The begin of a body, as far as it comes within a moment. */
function readBegin(response: IncomingMessage): Promise<string> {
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

/** The code of an error of the system, else its words: neither holds what the endpoint sent. */
const nameOf = (error: unknown): string => {
  const { code, message } = (error ?? {}) as { code?: string; message?: string }
  return (code ?? message ?? 'unknown').slice(0, 200)
}

import { connect as connectSocket, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { AddressGuard } from './address-guard.ts'
import type { FindAddresses } from './find-addresses.ts'

export interface ConnectionDeps {
  guard: Pick<AddressGuard, 'permits'>
  /** The setting by which the operator allows more addresses, for people. */
  allowedBy: string
  findAddresses: FindAddresses
  timeoutMs: number
  /** Certificates trusted in addition to the usual ones. */
  ca?: string
  /** For tests. */
  connect?: typeof connectSocket
}

/** Why there is no connection, over which nothing was sent. */
export class ConnectionError extends Error {
  readonly because: 'address_refused' | 'name_not_found' | 'not_connected' | 'tls_failed'

  constructor(because: ConnectionError['because'], detail: string) {
    super(detail)
    this.because = because
  }
}

/**
 * Opens a connection to an address that the guard permits, with TLS on top for an https URL. Resolves the name once, checks
 * each address, and connects to the address itself: Node ignores its own `blockList` over TLS, and a lookup hook never sees
 * an address written in the URL. Rejects with a `ConnectionError`, or at the deadline.
 */
export async function openConnection(deps: ConnectionDeps, url: URL, deadline: AbortSignal): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const found = await beforeEnd(deadline, deps.findAddresses(host)).catch((error: unknown) => {
    throw new ConnectionError('name_not_found', nameOf(error))
  })
  const permitted = found.filter((address) => deps.guard.permits(host, address))
  if (permitted.length === 0)
    throw new ConnectionError(
      'address_refused',
      `the host has no public address; the operator can allow it with ${deps.allowedBy}`,
    )
  const isTls = url.protocol === 'https:'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const raw = await connectToFirst(deps, { host, port, addresses: permitted }, deadline)
  return isTls ? await secure(raw, { host, ca: deps.ca }, deadline) : raw
}

/** Tries the addresses in order. A silent address leaves time for the next ones, and for the exchange. */
async function connectToFirst(
  { guard, timeoutMs, connect = connectSocket }: ConnectionDeps,
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
      throw new ConnectionError('address_refused', 'the connection reached an address that is not allowed')
    } catch (error) {
      socket.destroy()
      if (error instanceof ConnectionError || deadline.aborted) throw error
      failure = error
    }
  }
  throw new ConnectionError('not_connected', nameOf(failure))
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
    throw new ConnectionError('tls_failed', nameOf(error))
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

/** Settles as the promise does, and rejects at the deadline. */
export function beforeEnd<T>(deadline: AbortSignal, wanted: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end = (): void => reject(deadline.reason as Error)
    if (deadline.aborted) end()
    deadline.addEventListener('abort', end, { once: true })
    wanted.then(resolve, reject).finally(() => deadline.removeEventListener('abort', end))
  })
}

/** Returns the code of a system error, or its message. Neither contains what the endpoint sent. */
export const nameOf = (error: unknown): string => {
  const { code, message } = (error ?? {}) as { code?: string; message?: string }
  return (code ?? message ?? 'unknown').slice(0, 200)
}

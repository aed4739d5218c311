import { createConnection, type Socket } from 'node:net'
import { isLoopbackHost } from '../process/own-address.ts'
import { isLoopback } from './find-addresses.ts'
import { codeOf, passed, type Stage, stopped } from './reach-step.ts'

/** Where this server listens by its settings. */
export interface Listening {
  host: string
  port: number
}

/** An open TCP connection, and how to open another one to the same place. */
export interface OpenPort {
  socket: Socket
  reopen: () => Promise<Socket>
}

/** Connects to the first of these addresses that accepts, all at the same time. */
export async function openPort(
  url: URL,
  addresses: readonly string[],
  { signal, listens, own }: { signal: AbortSignal; listens: Listening; own: readonly string[] },
): Promise<Stage<OpenPort>> {
  const port = portOf(url)
  const failures: unknown[] = []
  const attempts = addresses.map(async (host) => {
    try {
      return { host, socket: await connect(host, port, signal) }
    } catch (error) {
      failures.push(error)
      throw error
    }
  })
  const first = await Promise.any(attempts).catch(() => null)
  for (const attempt of attempts)
    void attempt.then(
      ({ socket }) => socket === first?.socket || socket.destroy(),
      () => undefined,
    )
  if (first !== null)
    return passed(
      'port',
      { socket: first.socket, reopen: () => connect(first.host, port, signal) },
      `${at(first.host, port)} accepts connections.`,
    )
  const where = addresses.map((host) => at(host, port)).join(', ')
  const codes = [...new Set(failures.map(codeOf))]
  if (!codes.includes('ECONNREFUSED')) return noRoute(where, codes)
  const isHere = addresses.some((address) => own.includes(address) || isLoopback(address))
  return isHere ? closedHere(where, port, { listens, signal }) : closedThere(where)
}

/** Returns the port of an address, with the default of its scheme. */
const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** Routers without NAT loopback (hairpinning) drop such connections, or refuse them where they have no page of their own. */
const mayBeHairpin =
  'A router may also refuse connections from inside to its own public address: then try from a phone with mobile data.'

const noRoute = (where: string, codes: readonly string[]): Stage<never> =>
  stopped(
    'route',
    `There is no answer from ${where} (${codes.join(', ')}).`,
    `A firewall drops the connection, or the address belongs to no machine that is on. Open the port in the firewall and the router, or correct ONESIXTY_PUBLIC_URL. ${mayBeHairpin}`,
  )

const closedThere = (where: string): Stage<never> =>
  stopped(
    'port',
    `Nothing listens at ${where}.`,
    `Start the server or the proxy that should listen there, forward the port in the router, or correct ONESIXTY_PUBLIC_URL. ${mayBeHairpin}`,
  )

/** A refusal by this machine: the server may listen elsewhere on it. */
async function closedHere(
  where: string,
  port: number,
  { listens, signal }: { listens: Listening; signal: AbortSignal },
): Promise<Stage<never>> {
  const isListening = await connect(listens.host, listens.port, signal).then(
    (socket) => socket.destroy() !== undefined,
    () => false,
  )
  if (!isListening)
    return stopped(
      'port',
      `Nothing listens at ${where}, and the server does not run at ${at(listens.host, listens.port)}.`,
      'Start the server.',
    )
  const name = listens.host.includes(':') ? `[${listens.host}]` : listens.host
  if (isLoopbackHost(name) && listens.port === port)
    return stopped(
      'port',
      `Nothing listens at ${where}: the server listens on ${listens.host} only.`,
      'Set ONESIXTY_HOST to this address, with a certificate (ONESIXTY_TLS_CERT, ONESIXTY_TLS_KEY), or put a reverse proxy in front of the server.',
    )
  return stopped(
    'port',
    `Nothing listens at ${where}; the server listens at ${at(listens.host, listens.port)}.`,
    'Start the reverse proxy that should listen there, or correct the port of ONESIXTY_PUBLIC_URL.',
  )
}

function connect(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port })
    const abort = (): void =>
      void socket.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    socket.once('close', () => signal.removeEventListener('abort', abort))
    socket.once('connect', () => resolve(socket))
    // Stays: an error after the connection belongs to the step that uses it.
    socket.on('error', reject)
  })
}

const at = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

import { connect, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'

/** Begins to connect and calls `ready` once, when octets may flow. Failure is an `error` or a `close` of the stream. */
export type OpenSocket = (ready: () => void) => Duplex

export interface SocketTarget {
  host: string
  port: number
  tls: TlsSettings | null
}

/** SMPP has no STARTTLS: TLS is a port of its own. All texts are PEM. */
export interface TlsSettings {
  /** The name asked for by SNI and expected in the certificate; left out, the host. */
  servername?: string
  /** Who may have signed the peer's certificate; left out, what Node.js trusts. */
  ca?: string
  /** Our own certificate, for peers that ask for one, with its key. */
  cert?: string
  key?: string
  /** False takes any certificate: then nobody knows who listens. */
  verify: boolean
}

/**
 * A TCP or TLS connection to the target: TLS 1.2 or later, the certificate and its name checked unless told otherwise. Opening it throws
 * for a port that is none and for texts that are no PEM.
 */
export function socketTo({ host, port, tls }: SocketTarget): OpenSocket {
  return (ready) => {
    // Node.js throws as well, but leaves a socket behind.
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError(`${port} is no port`)
    // One write holds all PDUs of a turn: there is nothing that Nagle's algorithm could gather, only time to lose.
    if (tls === null) return connect({ host, port, noDelay: true }, ready)
    const { verify, servername = isIP(host) === 0 ? host : undefined, ...identity } = tls
    const socket = connectTls(
      {
        host,
        port,
        minVersion: 'TLSv1.2',
        rejectUnauthorized: verify,
        ...identity,
        ...(servername && { servername }),
      },
      ready,
    )
    socket.setNoDelay(true)
    return socket
  }
}

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

/** SMPP has no STARTTLS: TLS has its own port. All texts are PEM. */
export interface TlsSettings {
  /** The name requested by SNI and expected in the certificate. Default: the host. */
  servername?: string
  /** Trusted certificate authorities. Default: those of Node.js. */
  ca?: string
  /** The client certificate, for peers that require one, with its key. */
  cert?: string
  key?: string
  /** False accepts any certificate: the identity of the peer is not verified. */
  verify: boolean
}

/**
 * Returns a TCP or TLS connection to the target: TLS 1.2 or later, with certificate and name verified by
 * default. Opening it throws for an invalid port and for texts that are no PEM.
 */
export function socketTo({ host, port, tls }: SocketTarget): OpenSocket {
  return (ready) => {
    // Node.js throws as well, but leaves a socket open.
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError(`${port} is no port`)
    // One write contains all PDUs of a turn: Nagle's algorithm could combine nothing, only delay.
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

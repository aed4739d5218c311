import { connect, type Socket } from 'node:net'
import { type Line, LineFault, type OpenLine } from './line.ts'
import { Telnet } from './telnet.ts'

/** A modem behind a terminal server: raw TCP, or telnet. */
export interface TcpPort {
  host: string
  port: number
  isTelnet: boolean
}

/** Longer than a network takes that will respond. */
const connectTimeoutMs = 10_000
/** After this much silence the operating system checks whether the other side is still there. */
const keepAliveMs = 30_000
/** What ser2net 4 writes to a second client before it closes its connection. */
const portInUse = 'Port already in use'

/** Returns how a line to this port is opened. */
export const tcpLine =
  ({ host, port, isTelnet }: TcpPort): OpenLine =>
  (events) =>
    new Promise((resolve, reject) => {
      const socket = connect({
        host,
        port,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: keepAliveMs,
      })
      const telnet = isTelnet ? new Telnet((reply) => void socket.write(reply)) : null
      let isOpen = false
      let fault = new LineFault('port_failed', 'The other side closed the connection.')
      socket.setTimeout(connectTimeoutMs, () => {
        if (!isOpen) socket.destroy(new Error(`no response within ${connectTimeoutMs / 1000} s`))
      })
      socket.on('error', (error) => (fault = new LineFault('port_failed', error.message)))
      socket.on('data', (octets) => {
        const data = telnet?.received(octets) ?? octets
        if (data.includes(portInUse)) fault = new LineFault('port_in_use', portInUse)
        if (data.length > 0) events.data(data)
      })
      socket.once('connect', () => {
        isOpen = true
        socket.setTimeout(0)
        resolve(lineOver(socket, telnet))
      })
      // Emitted once, and after an error, too.
      socket.once('close', () => (isOpen ? events.closed(fault) : reject(fault)))
    })

function lineOver(socket: Socket, telnet: Telnet | null): Line {
  return {
    write: (octets) =>
      new Promise((resolve, reject) => {
        const sent = telnet?.sent(octets) ?? octets
        socket.write(sent, (error) => (error instanceof Error ? reject(error) : resolve()))
      }),
    // Half a command means nothing to the modem: what is not sent yet is dropped.
    close: () => void socket.destroy(),
  }
}

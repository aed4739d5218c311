import type { SerialPort } from 'serialport'
import { programForm } from '../../../process/program-files.ts'
import { type Line, LineFault, type LineReason, type OpenLine } from './line.ts'

/** A port of this machine. */
export interface SerialPath {
  path: string
  /** Ignored by USB; a UART needs that of the modem. */
  baudRate: number
}

/** Returns how a line to this port is opened. */
export const serialLine =
  ({ path, baudRate }: SerialPath): OpenLine =>
  async (events) => {
    const { SerialPort } = await loadSerialport()
    // It is locked: another program that has it open would take lines out of answers.
    const port = new SerialPort({ path, baudRate, autoOpen: false, lock: true })
    let fault = new LineFault(
      'port_failed',
      'The port was closed; the modem may have been unplugged or restarted.',
    )
    port.on('error', (error) => (fault = faultOf(error)))
    port.on('data', (octets: Buffer) => events.data(octets))
    await new Promise<void>((resolve, reject) => {
      port.open((error) => (error === null ? resolve() : reject(faultOf(error))))
    })
    const stopProbing = closeWhenHungUp(port)
    const writes = new Set<(fault: LineFault) => void>()
    // A vanished port may close twice: by itself, and by the call that closes it then.
    port.once('close', (error: Error | null | undefined) => {
      stopProbing()
      if (error) fault = faultOf(error)
      events.closed(fault)
      for (const reject of writes) reject(fault)
    })
    return lineOver(port, writes)
  }

/** How long a line that hung up may be silent: an answer on it never comes. */
const probeMs = 1_000

/**
 * Closes a port whose line hung up. From then on Linux reads nothing from it (tty_io.c, hung_up_tty_read), which serialport 13
 * takes for data that is still to come and reads again; anything else that is asked of the port fails. Whether all is sent is
 * asked here, which changes nothing. Returns what ends that.
 */
function closeWhenHungUp(port: SerialPort): () => void {
  let isAsking = false
  const timer = setInterval(() => {
    // One that waits, such as for a modem that holds its line, has not failed.
    if (isAsking || !port.isOpen) return
    isAsking = true
    port.drain((error) => {
      isAsking = false
      if (error && port.isOpen) port.close(() => undefined)
    })
  }, probeMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** The version that package.json names. */
const serialportVersion = '13.0.0'

/** It has prebuilt binaries for most machines, and is not there on others: then only ports over TCP can be used. */
async function loadSerialport() {
  try {
    return await import('serialport')
  } catch (error) {
    throw new LineFault('no_serialport', describeMissing((error as NodeJS.ErrnoException).message))
  }
}

/** An executable loads nothing from disk: what could be changed there would be run as the program. */
const describeMissing = (message: string): string =>
  programForm === 'one file'
    ? 'An executable of one file cannot open serial ports. Use a port over TCP, such as that of ser2net on this machine.'
    : `Install the package serialport ${serialportVersion} next to onesixty, or use a port over TCP: ${message}`

/** Lists the ports of this machine with what its system says about them. Linux has files about that, and needs no package. */
export async function listSerialPorts(): Promise<
  { path: string; vendorId: string | null; productId: string | null; maker: string | null }[]
> {
  const { SerialPort } = await loadSerialport()
  const ports = await SerialPort.list()
  return ports.map(({ path, vendorId = null, productId = null, manufacturer: maker = null }) => ({
    path,
    vendorId: vendorId?.toLowerCase() ?? null,
    productId: productId?.toLowerCase() ?? null,
    maker,
  }))
}

/** serialport keeps what is written to a closed port until it opens again, and reports nothing: `writes` are rejected then. */
function lineOver(port: SerialPort, writes: Set<(fault: LineFault) => void>): Line {
  return {
    write: (octets) =>
      new Promise((resolve, reject) => {
        if (!port.isOpen) return reject(new LineFault('port_failed', 'The port is closed.'))
        const settle = (error: Error | null | undefined): void => {
          writes.delete(reject)
          if (error) reject(faultOf(error))
          else resolve()
        }
        writes.add(reject)
        port.write(Buffer.from(octets), (error) => (error ? settle(error) : port.drain(settle)))
      }),
    close: () => {
      if (port.isOpen) port.close(() => undefined)
    },
  }
}

/** By the words of serialport 13 and of the system under it; one whose words are unknown is named by them. */
const reasons: readonly [words: RegExp, reason: LineReason][] = [
  [/no such file|file not found|cannot find the file/i, 'port_missing'],
  [/permission denied|access denied/i, 'port_denied'],
  [/cannot lock port|resource busy|resource temporarily unavailable/i, 'port_in_use'],
]

const faultOf = ({ message }: Error): LineFault =>
  new LineFault(reasons.find(([words]) => words.test(message))?.[1] ?? 'port_failed', message)

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Line, LineFault, OpenLine } from '../../src/connectors/modem/line/line.ts'
import { serialLine } from '../../src/connectors/modem/line/serial-line.ts'
import { tcpLine } from '../../src/connectors/modem/line/tcp-line.ts'
import { Telnet } from '../../src/connectors/modem/line/telnet.ts'
import { eventually } from '../eventually.ts'

interface Opened {
  line: Line
  data: () => string
  faults: LineFault[]
}

async function open(openLine: OpenLine): Promise<Opened> {
  const chunks: Buffer[] = []
  const faults: LineFault[] = []
  const line = await openLine({
    data: (octets) => chunks.push(Buffer.from(octets)),
    closed: (fault) => faults.push(fault),
  })
  onTestFinished(() => line.close())
  return { line, data: () => Buffer.concat(chunks).toString('latin1'), faults }
}

const faultOf = (openLine: OpenLine): Promise<LineFault> =>
  openLine({ data: () => undefined, closed: () => undefined }).then(
    () => expect.unreachable('the line was opened'),
    (fault: unknown) => fault as LineFault,
  )

/** A server that does this with each connection. */
async function serve(connected: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    connected(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const at = (port: number, isTelnet = false): OpenLine => tcpLine({ host: '127.0.0.1', port, isTelnet })

describe('4: a port over TCP', () => {
  test('octets go both ways as they are, and a close is reported once', async () => {
    const port = await serve((socket) => {
      socket.on('data', (octets) => {
        if (octets.includes('bye')) socket.end()
        else socket.write(octets)
      })
    })
    const { line, data, faults } = await open(at(port))
    await line.write(Buffer.from([0x41, 0xff, 0x0d]))
    await eventually(
      async () => data(),
      (text) => expect(text).toBe('A\u00ff\r'),
    )
    await line.write(Buffer.from('bye'))
    await eventually(
      async () => faults.length,
      (count) => expect(count).toBe(1),
    )
    line.close()
    await expect(line.write(Buffer.from('AT'))).rejects.toThrow(/closed|destroyed|ended|port/i)
    expect(faults.map(({ reason }) => reason)).toEqual(['port_failed'])
  })

  test('a port that another client has is named as such', async () => {
    // ser2net 4.3.11 says so to a second client, and closes (dev_ports.c of its sources, `port_is_in_use`).
    const port = await serve((socket) => socket.end('Port already in use\r\n'))
    const { faults } = await open(at(port))
    await eventually(
      async () => faults,
      ([fault]) => expect(fault?.reason).toBe('port_in_use'),
    )
  })

  test('nothing listens', async () => {
    const port = await serve(() => undefined)
    const other = port === 1024 ? 1025 : port - 1
    expect((await faultOf(at(other))).reason).toBe('port_failed')
  })

  // What ser2net 4.3.11 begins with on an accepter `telnet,tcp`, as it was read here.
  const beginning = Buffer.from('fffb03fffd03fffb01fffe01fffd00fffb00', 'hex')

  test('telnet is taken out, BINARY and SGA are agreed to, the rest is refused', async () => {
    const heard: Buffer[] = []
    const port = await serve((socket) => {
      socket.on('data', (octets) => heard.push(octets))
      socket.write(Buffer.concat([beginning, Buffer.from('\r\nOK\r\n')]))
    })
    const { line, data } = await open(at(port, true))
    await eventually(
      async () => data(),
      (text) => expect(text).toBe('\r\nOK\r\n'),
    )
    await line.write(Buffer.from([0x41, 0xff, 0x0d]))
    const answers = 'fffd03 fffb03 fffe01 fffc01 fffb00 fffd00'.replaceAll(' ', '')
    await eventually(
      async () => Buffer.concat(heard).toString('hex'),
      (hex) => expect(hex).toBe(`${answers}41ffff0d`),
    )
  })

  test('a command of telnet may be cut anywhere, and a confirmation is not confirmed', () => {
    const octets = Buffer.concat([
      beginning,
      Buffer.from([0x41, 0xff, 0xff, 0xff, 0xf1, 0x42, 0xff, 0xfa, 0x2c, 1, 0xff, 0xff, 2, 0xff, 0xf0, 0x43]),
      beginning,
    ])
    const whole: string[] = []
    const atOnce = new Telnet((reply) => whole.push(reply.toString('hex'))).received(octets)
    const replies: string[] = []
    const telnet = new Telnet((reply) => replies.push(reply.toString('hex')))
    const pieces = Array.from(octets, (octet) => telnet.received(Buffer.from([octet])))
    expect(Buffer.concat(pieces)).toEqual(atOnce)
    expect(atOnce).toEqual(Buffer.from([0x41, 0xff, 0x42, 0x43]))
    expect(replies).toEqual(whole)
    expect(replies).toHaveLength(6)
  })
})

const canPty = process.platform === 'linux' && spawnSync('socat', ['-V']).status === 0

describe.skipIf(!canPty)('1, 3: a serial port', () => {
  /** Two ends of a line, as files. */
  async function openPty(): Promise<{ path: string; other: string; unplug: () => Promise<void> }> {
    const folder = mkdtempSync(join(tmpdir(), 'onesixty-tty-'))
    const [path, other] = [join(folder, 'modem'), join(folder, 'other')]
    const pty = (link: string): string => `PTY,link=${link},raw,echo=0`
    const socat = spawn('socat', [pty(path), pty(other)], { stdio: 'ignore' })
    const ended = once(socat, 'exit')
    const unplug = async (): Promise<void> => {
      socat.kill('SIGKILL')
      await ended
    }
    onTestFinished(async () => {
      await unplug()
      rmSync(folder, { recursive: true })
    })
    await eventually(
      async () => existsSync(path) && existsSync(other),
      (are) => expect(are).toBe(true),
    )
    return { path, other, unplug }
  }
  const to = (path: string): OpenLine => serialLine({ path, baudRate: 115_200 })

  test('octets go both ways as they are', async () => {
    const { path, other } = await openPty()
    const [here, there] = [await open(to(path)), await open(to(other))]
    await here.line.write(Buffer.from('AT\r'))
    await eventually(
      async () => there.data(),
      (text) => expect(text).toBe('AT\r'),
    )
    await there.line.write(Buffer.from([0x0d, 0x0a, 0x00, 0x1a, 0xff, 0x11, 0x13]))
    await eventually(
      async () => here.data(),
      (text) => expect(text).toBe('\r\n\0\u001a\u00ff\u0011\u0013'),
    )
  })

  test('a port that is not there, and one that is open already', async () => {
    const { path } = await openPty()
    expect((await faultOf(to(`${path}-none`))).reason).toBe('port_missing')
    await open(to(path))
    expect((await faultOf(to(path))).reason).toBe('port_in_use')
  })

  test('a modem that is unplugged closes the line, once, without a write', async () => {
    const { path, unplug } = await openPty()
    const { line, faults } = await open(to(path))
    await unplug()
    await eventually(
      async () => faults.length,
      (count) => expect(count).toBe(1),
    )
    line.close()
    await expect(line.write(Buffer.from('AT\r'))).rejects.toThrow(/closed|destroyed|ended|port/i)
    expect(faults).toHaveLength(1)
  })
})

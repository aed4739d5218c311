import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { decodePdu, type MalformedPdu } from '../../src/smpp/codec/decode-pdu.ts'
import { FrameReader } from '../../src/smpp/codec/frame-reader.ts'
import { defaultSessionLimits } from '../../src/smpp/session/session-limits.ts'
import type { Command, Pdu, PduOf } from '../../src/smpp/codec/pdu.ts'
import { bytesOf } from './pdu-arbitraries.ts'
import { watchWire } from './wire-at-rest.ts'

type Seen = Pdu | MalformedPdu

/** Gives the answers to a PDU; null leaves it to the defaults. */
export type Answering = (pdu: Seen, smsc: StubSmsc) => readonly Pdu[] | null

/**
 * An SMSC in this process, behind real sockets; what a test says itself goes over the latest. It says yes to binds, submits, enquire_links and unbinds
 * unless a test answers otherwise, and keeps everything that it received.
 */
export interface StubSmsc extends AsyncDisposable {
  readonly port: number
  readonly received: readonly Seen[]
  /** Waits until so many PDUs of a command came, and gives the last of them. */
  seen<C extends Command>(command: C, count?: number): Promise<PduOf<C>>
  /** Waits until something holds that only what arrives can change. */
  until(holds: () => boolean): Promise<void>
  /** Settles when all that was written at either end was read at the other. */
  atRest(): Promise<void>
  /** Empties `received`. */
  forget(): void
  send(...pdus: Pdu[]): void
  sendBytes(bytes: Uint8Array): void
  /** What its side of the connection is. */
  socket(): Socket
  /** Resolves when the other side of the connection is gone. */
  closed(): Promise<void>
}

export async function startStubSmsc(answering: Answering = () => null, tls?: TlsOptions): Promise<StubSmsc> {
  const received: Seen[] = []
  let arrived = Promise.withResolvers<void>()
  let socket: Socket | null = null
  const gone = Promise.withResolvers<void>()

  const accept = (accepted: Socket): void => {
    socket = accepted
    const reader = new FrameReader(defaultSessionLimits.maxPduBytes)
    accepted.setNoDelay(true)
    accepted.on('error', () => undefined)
    accepted.on('close', () => gone.resolve())
    accepted.on('data', (chunk) => {
      reader.push(chunk)
      for (let frame = reader.next(); frame !== null && frame !== 'lost'; frame = reader.next()) {
        const pdu = decodePdu(frame.bytes, frame.start, frame.end)
        received.push(pdu)
        const answers = answering(pdu, smsc) ?? usualAnswers(pdu)
        if (answers.length > 0) accepted.write(Buffer.concat(answers.map(bytesOf)))
      }
      arrived.resolve()
      arrived = Promise.withResolvers()
    })
  }
  const server: Server = tls ? createTlsServer(tls, accept) : createServer(accept)
  server.on('tlsClientError', () => undefined)
  const wire = watchWire(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connected = (): Socket => {
    if (socket === null) throw new Error('nobody is connected to the stub SMSC')
    return socket
  }
  const smsc: StubSmsc = {
    port: (server.address() as AddressInfo).port,
    received,
    async seen(command, count = 1) {
      const all = (): Seen[] => received.filter((pdu) => pdu.command === command)
      await smsc.until(() => all().length >= count)
      return all().at(-1) as never
    },
    async until(holds) {
      while (!holds()) await arrived.promise
    },
    atRest: wire.atRest,
    forget: () => void (received.length = 0),
    send: (...pdus) => {
      if (pdus.length > 0) connected().write(Buffer.concat(pdus.map(bytesOf)))
    },
    sendBytes: (bytes) => void connected().write(bytes),
    socket: connected,
    closed: () => gone.promise,
    async [Symbol.asyncDispose]() {
      wire.leave()
      socket?.destroy()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
  return smsc
}

function usualAnswers(pdu: Seen): readonly Pdu[] {
  const { sequence } = pdu
  switch (pdu.command) {
    case 'bind_transceiver':
    case 'bind_transmitter':
    case 'bind_receiver': {
      const tlvs = [{ tag: 0x0210, value: Buffer.from([0x34]) }]
      return [{ command: `${pdu.command}_resp`, status: 0, sequence, body: { systemId: 'stub', tlvs } }]
    }
    case 'submit_sm':
      return [
        { command: 'submit_sm_resp', status: 0, sequence, body: { messageId: `id-${sequence}`, tlvs: [] } },
      ]
    case 'enquire_link':
    case 'unbind':
      return [{ command: `${pdu.command}_resp`, status: 0, sequence, body: null }]
    default:
      return []
  }
}

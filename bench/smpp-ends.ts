import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import smpp from 'smpp'
import { systemClock } from '../src/clock.ts'
import { decodePdu } from '../src/connectors/smpp/decode-pdu.ts'
import { encodePdu, roomFor } from '../src/connectors/smpp/encode-pdu.ts'
import { FrameReader } from '../src/connectors/smpp/frame-reader.ts'
import { socketTo } from '../src/connectors/smpp/open-socket.ts'
import type { MessageFields, Pdu } from '../src/connectors/smpp/pdu.ts'
import { defaultSessionLimits } from '../src/connectors/smpp/session-settings.ts'
import { Session } from '../src/connectors/smpp/session.ts'
import { WriteBuffer } from '../src/connectors/smpp/write-buffer.ts'

/** Whose SMPP an end speaks. */
export type Speaker = 'own' | 'npm'

/** What an ESME shall do: keep `window` submits open, and count the answers of `measureMs` after the warm-up. */
export interface SubmitJob {
  port: number
  window: number
  warmUpMs: number
  measureMs: number
}

export interface SubmitResult {
  submits: number
  measuredMs: number
  /** Of one in 16. */
  latencies: number[]
  cpuMs: number
}

/** Runs one ESME and one SMSC, each a process of its own, and gives what the ESME counted. */
export async function runEnds(speaker: Speaker, job: Omit<SubmitJob, 'port'>): Promise<SubmitResult> {
  const smsc = fork(import.meta.filename, [speaker, 'smsc'], { execArgv: [] })
  const esme = fork(import.meta.filename, [speaker, 'esme'], { execArgv: [] })
  try {
    const [port] = (await once(smsc, 'message')) as [number]
    esme.send({ ...job, port })
    const [result] = (await once(esme, 'message')) as [SubmitResult]
    return result
  } finally {
    smsc.kill()
    esme.kill()
  }
}

const text = Buffer.from('Your code is 160160. It is good for ten minutes.\n')

// Octets on both sides: neither translates an alphabet.
const message: MessageFields = {
  serviceType: '',
  source: { ton: 5, npi: 0, address: 'onesixty' },
  destination: { ton: 1, npi: 1, address: '491701234567' },
  esmClass: 0,
  protocolId: 0,
  priorityFlag: 0,
  scheduleDeliveryTime: '',
  validityPeriod: '',
  registeredDelivery: 1,
  replaceIfPresent: 0,
  dataCoding: 4,
  defaultMessageId: 0,
  shortMessage: text,
  tlvs: [],
}

/** The same message in the package's words. */
const npmMessage = {
  source_addr_ton: 5, source_addr: 'onesixty', dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: '491701234567',
  registered_delivery: 1, data_coding: 4, short_message: text,
} // prettier-ignore

const bind = { systemId: 'bench', password: 'bench', systemType: '', interfaceVersion: 0x34 }

/** Sends one submit and calls back with its answer. */
type Submit = (answered: (isAccepted: boolean) => void) => void

async function bindOwn({ port, window }: SubmitJob): Promise<Submit> {
  const nothing = (): void => undefined
  const events = { store: () => Promise.resolve(), late: nothing, room: nothing, odd: nothing }
  const open = socketTo({ host: '127.0.0.1', port, tls: null })
  const session = new Session(
    { tools: systemClock, open, events },
    {
      ...defaultSessionLimits,
      window,
      bindAs: 'transceiver',
      bind: { ...bind, addressRange: { ton: 0, npi: 0, address: '' } },
    },
  )
  const outcome = await session.open()
  if (outcome.kind === 'failed') throw new Error(outcome.end.detail)
  return (answered) =>
    void session
      .request('submit_sm', message)
      .then((answer) => answered(answer.kind === 'response' && answer.status === 0))
}

async function bindNpm({ port }: SubmitJob): Promise<Submit> {
  const session = await new Promise<ReturnType<typeof smpp.connect>>((resolve) => {
    const connected = smpp.connect({ host: '127.0.0.1', port }, () =>
      connected.bind_transceiver({ system_id: bind.systemId, password: bind.password }, () =>
        resolve(connected),
      ),
    )
  })
  return (answered) => session.submit_sm(npmMessage, (answer) => answered(answer.command_status === 0))
}

async function submitAll(submit: Submit, { window, warmUpMs, measureMs }: SubmitJob): Promise<SubmitResult> {
  const ended = Promise.withResolvers<void>()
  const latencies: number[] = []
  const measureFrom = performance.now() + warmUpMs
  const measureUntil = measureFrom + measureMs
  let cpuBefore = process.cpuUsage()
  setTimeout(() => (cpuBefore = process.cpuUsage()), warmUpMs)
  let submits = 0
  const next = (): void => {
    const sentAt = performance.now()
    submit((isAccepted) => {
      const nowMs = performance.now()
      if (!isAccepted) return ended.reject(new Error('A submit was not accepted.'))
      if (nowMs >= measureUntil) return ended.resolve()
      if (nowMs >= measureFrom && submits++ % 16 === 0) latencies.push(nowMs - sentAt)
      next()
    })
  }
  for (let i = 0; i < window; i++) next()
  await ended.promise
  const { user, system } = process.cpuUsage(cpuBefore)
  return { submits, measuredMs: measureMs, latencies, cpuMs: (user + system) / 1000 }
}

function createOwnSmsc(): Server {
  return createServer((socket) => {
    const reader = new FrameReader(defaultSessionLimits.mostPduBytes)
    const writes = new WriteBuffer((pieces, done) => writeTo(socket, pieces, done))
    let accepted = 0
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      reader.push(chunk)
      for (let frame = reader.next(); frame !== null && frame !== 'lost'; frame = reader.next()) {
        const { command, sequence } = decodePdu(frame.bytes, frame.start, frame.end)
        const answer: Pdu =
          command === 'submit_sm'
            ? {
                command: 'submit_sm_resp',
                status: 0,
                sequence,
                body: { messageId: String(++accepted), tlvs: [] },
              }
            : { command: 'bind_transceiver_resp', status: 0, sequence, body: { systemId: 'bench', tlvs: [] } }
        encodePdu(writes.sinkFor(roomFor(answer)), answer)
      }
      writes.flushSoon()
    })
  })
}

function writeTo(socket: Socket, pieces: readonly Buffer[], done: () => void): void {
  for (const [i, piece] of pieces.entries()) socket.write(piece, i === pieces.length - 1 ? done : undefined)
}

function createNpmSmsc(): Server {
  return smpp.createServer((session) => {
    let accepted = 0
    session.on('bind_transceiver', (pdu) => session.send(pdu.response()))
    session.on('submit_sm', (pdu) => session.send(pdu.response({ message_id: String(++accepted) })))
    session.on('error', () => undefined)
  })
}

if (import.meta.main) {
  const [speaker, role] = process.argv.slice(2)
  process.on('disconnect', () => process.exit(0))
  if (role === 'smsc') {
    const server = speaker === 'own' ? createOwnSmsc() : createNpmSmsc()
    server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  } else {
    const [job] = (await once(process, 'message')) as [SubmitJob]
    process.send?.(await submitAll(await (speaker === 'own' ? bindOwn(job) : bindNpm(job)), job))
  }
}

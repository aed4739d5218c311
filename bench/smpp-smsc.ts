import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { decodePdu } from '../src/smpp/codec/decode-pdu.ts'
import { encodePdu, roomFor } from '../src/smpp/codec/encode-pdu.ts'
import { FrameReader } from '../src/smpp/codec/frame-reader.ts'
import type { MessageFields, Pdu } from '../src/smpp/codec/pdu.ts'
import { defaultSessionLimits } from '../src/smpp/session/session-limits.ts'
import { WriteBuffer } from '../src/smpp/codec/write-buffer.ts'

/** An SMSC of our codec in a process of its own: it takes every message and sends its receipt, at once. */
export interface BenchSmsc {
  port: number
  stop(): void
}

export async function startBenchSmsc(answerAfterMs = 0): Promise<BenchSmsc> {
  const child = fork(import.meta.filename, [String(answerAfterMs)], { execArgv: [] })
  const [port] = (await once(child, 'message')) as [number]
  return { port, stop: () => void child.kill() }
}

/** Receipts without an answer on one session; SMSCs have a window too. */
const maxUnanswered = 50
/** From the answer to the receipt, of an SMSC that takes its time. */
const receiptAfterMs = 500
/** What a timer may be late by. */
const timerSlackMs = 2
let messages = 0

/** One bound ESME. */
class Peer {
  readonly #writes: WriteBuffer
  readonly #answerAfterMs: number
  #sequence = 0
  #unanswered = 0
  #receipts: MessageFields[] = []

  constructor(socket: Socket, answerAfterMs: number) {
    this.#answerAfterMs = answerAfterMs
    this.#writes = new WriteBuffer((pieces, done) => {
      const last = pieces.length - 1
      for (const [i, piece] of pieces.entries()) socket.write(piece, i === last ? done : undefined)
    })
    const reader = new FrameReader(defaultSessionLimits.maxPduBytes)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      reader.push(chunk)
      for (let frame = reader.next(); frame !== null && frame !== 'lost'; frame = reader.next())
        this.#take(decodePdu(frame.bytes, frame.start, frame.end))
    })
  }

  #take(pdu: ReturnType<typeof decodePdu>): void {
    const { sequence } = pdu
    const tlvs: [] = []
    switch (pdu.command) {
      case 'submit_sm':
        return this.#later(() => this.#accept(sequence, pdu.body))
      case 'deliver_sm_resp':
        this.#unanswered -= 1
        return this.#sayReceipts()
      case 'bind_transceiver':
        return this.#send({
          command: 'bind_transceiver_resp',
          status: 0,
          sequence,
          body: { systemId: 'bench', tlvs },
        })
      case 'enquire_link':
        return this.#send({ command: 'enquire_link_resp', status: 0, sequence, body: null })
      case 'unbind':
        return this.#send({ command: 'unbind_resp', status: 0, sequence, body: null })
      default:
    }
  }

  /** Timers are up to two milliseconds late, so the last ones are waited for turn by turn. */
  #later(task: () => void): void {
    if (this.#answerAfterMs === 0) return task()
    const dueMs = performance.now() + this.#answerAfterMs
    const look = (): void => void (performance.now() >= dueMs ? task() : setImmediate(look))
    setTimeout(look, Math.max(0, this.#answerAfterMs - timerSlackMs))
  }

  #accept(sequence: number, { source, destination, registeredDelivery }: MessageFields): void {
    const messageId = String(++messages)
    this.#send({ command: 'submit_sm_resp', status: 0, sequence, body: { messageId, tlvs: [] } })
    if ((registeredDelivery & 1) === 0) return
    const text = `id:${messageId} sub:001 dlvrd:001 submit date:2611210800 done date:2611210800 stat:DELIVRD err:000 text:`
    this.#receipts.push({
      ...receipt,
      source: destination,
      destination: source,
      shortMessage: Buffer.from(text),
    })
    // Where the network takes its time to answer, so does the handset.
    if (this.#answerAfterMs === 0) this.#sayReceipts()
    else setTimeout(() => this.#sayReceipts(), receiptAfterMs)
  }

  #sayReceipts(): void {
    while (this.#unanswered < maxUnanswered) {
      const body = this.#receipts.shift()
      if (body === undefined) return
      this.#unanswered += 1
      this.#send({ command: 'deliver_sm', status: 0, sequence: ++this.#sequence, body })
    }
  }

  #send(pdu: Pdu): void {
    encodePdu(this.#writes.sinkFor(roomFor(pdu)), pdu)
    this.#writes.flushSoon()
  }
}

const receipt = {
  serviceType: '', esmClass: 4, protocolId: 0, priorityFlag: 0, scheduleDeliveryTime: '', validityPeriod: '',
  registeredDelivery: 0, replaceIfPresent: 0, dataCoding: 0, defaultMessageId: 0, tlvs: [],
} as const // prettier-ignore

if (import.meta.main) {
  const answerAfterMs = Number(process.argv[2])
  process.on('disconnect', () => process.exit(0))
  const server = createServer({ noDelay: true }, (socket) => void new Peer(socket, answerAfterMs))
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

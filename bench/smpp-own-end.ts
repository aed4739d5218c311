import { createServer, type Server } from 'node:net'
import { systemClock } from '../src/runtime/clock.ts'
import { decodePdu } from '../src/smpp/codec/decode-pdu.ts'
import { encodePdu, roomFor } from '../src/smpp/codec/encode-pdu.ts'
import { FrameReader } from '../src/smpp/codec/frame-reader.ts'
import { socketTo } from '../src/smpp/session/open-socket.ts'
import type { MessageFields, Pdu } from '../src/smpp/codec/pdu.ts'
import { defaultSessionLimits } from '../src/smpp/session/session-limits.ts'
import { Session } from '../src/connectors/smpp/session/session.ts'
import { WriteBuffer } from '../src/smpp/codec/write-buffer.ts'
import { decodeGsm7, encodeGsm7 } from '../src/sms/gsm7.ts'
import type { Content, Submit, SubmitJob } from './smpp-ends.ts'
import { benchText } from './smpp-text.ts'

const octets = Buffer.from(encodeGsm7(benchText))

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
  dataCoding: 0,
  defaultMessageId: 0,
  shortMessage: octets,
  tlvs: [],
}

/** An ESME of ours: the session that the connector uses. */
export async function bindOwn({ port, content, window }: SubmitJob): Promise<Submit> {
  const nothing = (): void => undefined
  const events = { store: () => Promise.resolve(), late: nothing, room: nothing, odd: nothing }
  const open = socketTo({ host: '127.0.0.1', port, tls: null })
  const addressRange = { ton: 0, npi: 0, address: '' }
  const bind = { systemId: 'bench', password: 'bench', systemType: '', interfaceVersion: 0x34, addressRange }
  const session = new Session(
    { tools: systemClock, open, events },
    { ...defaultSessionLimits, window, bindAs: 'transceiver', bind },
  )
  const outcome = await session.open()
  if (outcome.kind === 'failed') throw new Error(outcome.end.detail)
  return (answered) => {
    const fields =
      content === 'octets' ? message : { ...message, shortMessage: Buffer.from(encodeGsm7(benchText)) }
    void session
      .request('submit_sm', fields)
      .then((answer) => answered(answer.kind === 'response' && answer.status === 0))
  }
}

/** An SMSC of ours: the codec, and a socket. */
export function createOwnSmsc(content: Content): Server {
  return createServer({ noDelay: true }, (socket) => {
    const reader = new FrameReader(defaultSessionLimits.maxPduBytes)
    const writes = new WriteBuffer((pieces, done) => {
      const last = pieces.length - 1
      for (const [i, piece] of pieces.entries()) socket.write(piece, i === last ? done : undefined)
    })
    let accepted = 0
    const answerTo = (pdu: ReturnType<typeof decodePdu>): Pdu => {
      const { sequence } = pdu
      if (pdu.command !== 'submit_sm')
        return {
          command: 'bind_transceiver_resp',
          status: 0,
          sequence,
          body: { systemId: 'bench', tlvs: [] },
        }
      const { shortMessage } = pdu.body
      const isSound = content === 'text' ? decodeGsm7(shortMessage) === benchText : shortMessage.length > 0
      const body = { messageId: String(++accepted), tlvs: [] }
      return { command: 'submit_sm_resp', status: isSound ? 0 : 8, sequence, body }
    }
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      reader.push(chunk)
      for (let frame = reader.next(); frame !== null && frame !== 'lost'; frame = reader.next()) {
        const answer = answerTo(decodePdu(frame.bytes, frame.start, frame.end))
        encodePdu(writes.sinkFor(roomFor(answer)), answer)
      }
      writes.flushSoon()
    })
  })
}

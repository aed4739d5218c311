import type { Server } from 'node:net'
import smpp from 'smpp'
import { encodeGsm7 } from '../src/sms/gsm7.ts'
import type { Content, Submit, SubmitJob } from './smpp-ends.ts'
import { benchText } from './smpp-text.ts'

/** As binary (4) the package hands octets through on both sides, as 0 it translates characters. */
const contents = {
  text: { data_coding: 0, short_message: benchText },
  octets: { data_coding: 4, short_message: Buffer.from(encodeGsm7(benchText)) },
}

const message = {
  source_addr_ton: 5,
  source_addr: 'onesixty',
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: '491701234567',
  registered_delivery: 1,
}

/** An ESME of the npm package. */
export async function bindNpm({ port, content }: SubmitJob): Promise<Submit> {
  const bind = { system_id: 'bench', password: 'bench' }
  const session = await new Promise<ReturnType<typeof smpp.connect>>((resolve) => {
    const connected = smpp.connect({ host: '127.0.0.1', port }, () =>
      connected.bind_transceiver(bind, () => resolve(connected)),
    )
  })
  const fields = { ...message, ...contents[content] }
  return (answered) => session.submit_sm(fields, (answer) => answered(answer.command_status === 0))
}

/** An SMSC of the npm package. */
export function createNpmSmsc(content: Content): Server {
  return smpp.createServer((session) => {
    let accepted = 0
    const isSound = (received: unknown): boolean =>
      content === 'text' ? received === benchText : Buffer.isBuffer(received) && received.length > 0
    session.on('bind_transceiver', (pdu) => session.send(pdu.response()))
    session.on('submit_sm', (pdu) => {
      const status = isSound(pdu.short_message?.message) ? 0 : 8
      session.send(pdu.response({ command_status: status, message_id: String(++accepted) }))
    })
    session.on('error', () => undefined)
  })
}

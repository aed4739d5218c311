import { once } from 'node:events'
import { npmSmpp, type NpmPdu, type NpmSession } from '../peers/smsc/npm-smpp.ts'

/** An ESME of the npm package, to try the foreign SMSC with. */
export interface NpmEsme {
  session: NpmSession
  /** The status that the bind was answered. */
  bound: NpmPdu
  /** Everything that the SMSC has sent of its own accord, oldest first. */
  received: NpmPdu[]
  /** The answer; rejects when the connection ends before. */
  submit(fields: Record<string, unknown>): Promise<NpmPdu>
  ask(command: 'query_sm' | 'enquire_link' | 'unbind', fields?: Record<string, unknown>): Promise<NpmPdu>
  /** What deliver_sm and data_sm are answered from now on; null is silence. */
  answerWith(status: number | null): void
  /** Whether the SMSC, or somebody, has ended the connection. */
  isClosed(): boolean
  close(): void
}

export interface NpmEsmeOptions {
  port: number
  bind?: 'receiver' | 'transmitter' | 'transceiver'
  systemId?: string
  password?: string
  tls?: { ca: string }
}

/** Settles when the bind is answered, whatever the answer. */
export async function openNpmEsme(options: NpmEsmeOptions): Promise<NpmEsme> {
  const { port, bind = 'transceiver', systemId = 'ESME', password = 'secret', tls } = options
  const session = npmSmpp.connect(
    { host: 'localhost', port, ...(tls && { tls: true, rejectUnauthorized: true, ...tls }) },
    () => undefined,
  )
  // The package leaves Nagle's algorithm on: with a window above 1 submits then wait for delayed ACKs, 20 ms become 40.
  session.socket.setNoDelay(true)
  session.on('error', () => session.destroy())
  let closed = false
  session.on('close', () => (closed = true))
  await Promise.race([once(session, tls ? 'secureConnect' : 'connect'), once(session, 'close')])
  const received: NpmPdu[] = []
  let status: number | null = 0
  session.on('pdu', (pdu: NpmPdu) => {
    if (pdu.isResponse()) return
    received.push(pdu)
    const hasNoAnswer = pdu.command === 'alert_notification' || pdu.command === 'outbind'
    const isDelivery = pdu.command === 'deliver_sm' || pdu.command === 'data_sm'
    if (hasNoAnswer || (isDelivery && status === null)) return
    const answer = isDelivery ? { command_status: status } : {}
    session.send(pdu.response(answer))
  })
  // The package forgets its callbacks when a connection ends.
  const answered = (send: (settle: (pdu: NpmPdu) => void) => boolean): Promise<NpmPdu> =>
    new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('The connection ended without an answer.'))
      session.once('close', fail)
      const isSent = send((pdu) => {
        session.off('close', fail)
        resolve(pdu)
      })
      if (!isSent) fail()
    })
  session.setMaxListeners(0)
  const credentials = { system_id: systemId, password, interface_version: 0x34 }
  return {
    session,
    bound: await answered((settle) => session[`bind_${bind}`](credentials, settle)),
    received,
    submit: (fields) => answered((settle) => session.submit_sm(fields, settle)),
    ask: (command, fields = {}) => answered((settle) => session[command](fields, settle)),
    answerWith: (next) => (status = next),
    isClosed: () => closed,
    close: () => session.destroy(),
  }
}

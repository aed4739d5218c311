/** As much of the npm package `smpp` as the tests and the bench use; it brings no types. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events'
  import type { Server } from 'node:net'

  interface NpmPdu {
    command: string
    command_status: number
    sequence_number: number
    /** Of a submit_sm that was received. */
    short_message?: { message: unknown }
    response(fields?: Record<string, unknown>): NpmPdu
    toBuffer(): Buffer
  }
  interface NpmSession extends EventEmitter<Record<string, [NpmPdu]>> {
    bind_transceiver(fields: Record<string, unknown>, answered: (pdu: NpmPdu) => void): boolean
    submit_sm(fields: Record<string, unknown>, answered: (pdu: NpmPdu) => void): boolean
    send(pdu: NpmPdu): boolean
  }
  interface Smpp {
    PDU: new (command: string, fields: Record<string, unknown>) => NpmPdu
    createServer(onSession: (session: NpmSession) => void): Server
    connect(options: { host: string; port: number }, connected: () => void): NpmSession
  }
  const smpp: Smpp
  export default smpp
}

import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import type { Server, Socket } from 'node:net'

const require = createRequire(import.meta.url)

/** The npm package `smpp` with all that the SMSC and its tests use of it; it brings no types. */
export const npmSmpp = require('smpp') as NpmSmpp

export interface NpmPdu {
  command: string
  command_id: number
  command_status: number
  sequence_number: number
  isResponse(): boolean
  response(fields?: Record<string, unknown>): NpmPdu
  toBuffer(): Buffer
  /** Reads a whole PDU into this one; throws where the bytes end too early. */
  fromBuffer(bytes: Buffer): void
  /** Translates texts, times and the like between bytes and what an application sees. */
  _filter(direction: 'encode' | 'decode'): void

  system_id?: string
  password?: string
  system_type?: string
  interface_version?: number
  service_type?: string
  source_addr_ton?: number
  source_addr_npi?: number
  source_addr?: string
  dest_addr_ton?: number
  dest_addr_npi?: number
  destination_addr?: string
  esm_class?: number
  protocol_id?: number
  priority_flag?: number
  schedule_delivery_time?: string
  validity_period?: string
  registered_delivery?: number
  replace_if_present_flag?: number
  data_coding?: number
  short_message?: Buffer
  message_id?: string
}

type Request = (fields: Record<string, unknown>, answered: (pdu: NpmPdu) => void) => boolean

export interface NpmSession extends EventEmitter {
  readonly socket: Socket
  bind_receiver: Request
  bind_transmitter: Request
  bind_transceiver: Request
  submit_sm: Request
  query_sm: Request
  enquire_link: Request
  unbind: Request
  /** False when the connection has ended. */
  send(pdu: NpmPdu): boolean
  pause(): void
  resume(): void
  destroy(): void
}

interface TlvType {
  read: unknown
}

interface NpmSmpp {
  PDU: (new (command: string, fields: Record<string, unknown>) => NpmPdu) & { prototype: NpmPdu }
  /** By name. */
  readonly tlvs: Readonly<Record<string, { readonly id: number }>>
  readonly types: { readonly tlv: { readonly buffer: TlvType } }
  addTLV(name: string, options: { id: number; type: TlvType }): void
  createServer(onSession: (session: NpmSession) => void): Server
  createServer(
    options: { key: string; cert: string; ca?: string; requestCert?: boolean; rejectUnauthorized?: boolean },
    onSession: (session: NpmSession) => void,
  ): Server
  connect(
    options: { host: string; port: number; tls?: boolean; ca?: string; rejectUnauthorized?: boolean },
    connected: () => void,
  ): NpmSession
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { plainText } from '../../runtime/plain-text.ts'
import type { Phone } from './phone.ts'
import type { PhonePorts, Registration } from './ports.ts'

export interface PhoneRouteDeps {
  ports: PhonePorts
  clock: { now(): number }
  /** The address that phones know the service by. */
  publicUrl: () => string
}

/** What the server gives to routes that are mounted on it. */
export interface ServerTools {
  respond(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: { status: number; contentType: string; body: string; headers?: Record<string, string> },
  ): void
  openStream(
    request: FastifyRequest,
    reply: FastifyReply,
    head: { contentType: string; headers: Record<string, string> },
  ): ServerResponse
  log: { error(fields: object, message: string): void }
  /** Whose request it is, for the log. */
  noteDevice(request: FastifyRequest, deviceId: string): void
  addressOf(request: FastifyRequest): string
  /** Lets the connection of a request be idle for a short time only once it is answered. */
  endIdleSoon(request: FastifyRequest, reply: FastifyReply): Readonly<Record<string, string>>
  /** Counts a credential that was refused. Gives after how many seconds the network may try again; 0 while it may go on. */
  failedAuthentication(request: FastifyRequest): number
}

/** What the app asks, with who asks it. */
export interface Call {
  body: Buffer
  headers: Readonly<Record<string, string | string[] | undefined>>
  parameters: Readonly<Record<string, string>>
  address: string
  /** By the User-Agent, else as it registered. */
  appVersion: string | null
}

export interface PhoneCall extends Call {
  registration: Registration
  /** Null while the device does not run. */
  phone: Phone | null
}

/** An answer in JSON; without a body it has none. */
export interface Answer {
  status: number
  json?: unknown
}

/** A refusal in the form that the app's own server has: the app shows the status and reads no more than that. */
export class CallRefused extends Error {
  readonly status: number
  readonly retryAfterSeconds: number

  constructor(status: number, message: string, retryAfterSeconds = 0) {
    super(message)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const done: Answer = { status: 204 }

/** The JSON of a body; null for none. Never says what stood there. */
export function readJson({ body }: Pick<Call, 'body'>): unknown {
  if (body.length === 0) return null
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new CallRefused(400, 'The body is not JSON.')
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One line of at most `longest` characters, which people may be shown; longer ones are cut off, everything else is null. */
export function textOf(value: unknown, longest: number): string | null {
  const line = typeof value === 'string' ? plainText(value.slice(0, longest)).replaceAll(/\s/g, ' ') : ''
  return line === '' ? null : line
}

export const wholeNumberOf = (value: unknown, least: number, most: number): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : null

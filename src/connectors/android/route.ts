import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { plainText } from '../../runtime/plain-text.ts'
import type { Phone } from './phone.ts'
import type { PhonePorts, Registration } from './ports.ts'

/** What opening the link of a check showed. Only `reached` counts. */
export type ReachOpening = 'reached' | 'own_machine' | 'no_phone' | 'other_address' | 'unknown' | 'too_many'

/** A browser that opened the link of a check. */
export interface ReachOpener {
  address: string
  /** How it came: `addressOf` of a request through an unknown proxy is that of the proxy. */
  passage: 'direct' | 'trusted_proxy' | 'unknown_proxy'
  userAgent: string
  /** The host that it called. */
  host: string | undefined
}

export interface PhoneRouteDeps {
  ports: PhonePorts
  clock: { now(): number }
  /** The public URL of the service for phones. */
  publicUrl: () => string
  /** Returns the end of the certificate with which phones connect; null where this server has none. */
  certificateUntilMs: () => number | null
  /** Returns the answer by which this instance proves that an address leads to it; null for an invalid nonce. */
  answerReach: (nonce: string) => string | null
  /** Records that a browser opened the link of a check. */
  openReach: (nonce: string, by: ReachOpener) => Promise<ReachOpening>
}

/** What the server provides to routes that are mounted on it. */
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
  /** Records the device of a request, for the log. */
  noteDevice(request: FastifyRequest, deviceId: string): void
  addressOf(request: FastifyRequest): string
  passageOf(request: FastifyRequest): ReachOpener['passage']
  /** Shortens how long the connection of a request may be idle after the response. */
  endIdleSoon(request: FastifyRequest, reply: FastifyReply): Readonly<Record<string, string>>
  /** Counts a rejected credential. Returns after how many seconds the network may retry; 0 while it may continue. */
  failedAuthentication(request: FastifyRequest): number
}

/** A request of the app, with its client. */
export interface Call {
  body: Buffer
  headers: Readonly<Record<string, string | string[] | undefined>>
  parameters: Readonly<Record<string, string>>
  address: string
  /** From the User-Agent, or as it registered. */
  appVersion: string | null
}

export interface PhoneCall extends Call {
  registration: Registration
  /** Null while the device does not run. */
  phone: Phone | null
}

/** A response in JSON, or a page for people; without either it has no body. */
export interface Answer {
  status: number
  json?: unknown
  page?: string
}

/** A rejection in the format of the app's own server: the app shows the status and reads nothing else. */
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

/** Parses the JSON of a body; null for none. The error never quotes the body. */
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

/** Marks that change the direction of what follows (Unicode UAX 9): with them a name could rewrite the line that shows it. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Returns one line of at most `longest` characters that can be shown to people. Longer ones are cut;
 * everything else is null.
 */
export function textOf(value: unknown, longest: number): string | null {
  const shown = typeof value === 'string' ? plainText(value.slice(0, longest)) : ''
  const line = shown.replaceAll(directions, '').replaceAll(/\s/g, ' ')
  return line === '' ? null : line
}

export const wholeNumberOf = (value: unknown, least: number, most: number): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : null

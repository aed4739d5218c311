import type { IncomingHttpHeaders } from 'node:http'
import { type ReadHead, startLlhttp } from './llhttp.ts'

/** A request of which every byte has arrived. */
export interface WholeRequest {
  method: string
  /** The request target in origin form. */
  target: string
  headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  rawHeaders: string[]
  body: Buffer
  /** Where the next request begins. */
  endsAt: number
}

/**
 * Reads the request at the start of the bytes that a connection has brought. `incomplete`: its body is still on the way.
 * `unusual`: it is for `node:http`, which reads everything and says what is wrong.
 */
export type ReadRequest = (bytes: Buffer) => WholeRequest | 'incomplete' | 'unusual'

/** Heads of clients have 150 to 600 bytes, behind proxies 2 KiB. */
const maxHeadBytes = 4 * 1024
const headEnd = Buffer.from('\r\n\r\n')

/** Headers that say how a request is framed, or want something of the server, in ways that are rare; Node reads the last as a list. */
const unusualHeaders = ['transfer-encoding', 'expect', 'upgrade', 'set-cookie'] as const
const keptHeaders: readonly string[] = ['authorization', 'x-forwarded-for']
/** What these say is only read by `node:http`: two builds of llhttp differ in a tab behind `close`. */
const connectionHeaders = ['connection', 'proxy-connection'] as const
const usualTypes: readonly string[] = ['application/json', 'application/json; charset=utf-8']

/**
 * Creates the function that reads whole requests with bodies of at most `maxBodyBytes`; null where this machine has no llhttp.
 * It takes what `node:http` would take with the same meaning, and leaves the rest to it: HTTP/1.1, a body with a length, each
 * header once, a connection that stays open.
 */
export function createReadRequest(maxBodyBytes: number): ReadRequest | null {
  const readHead = startLlhttp(maxHeadBytes)
  return readHead === null ? null : (bytes) => readRequest(readHead, bytes, maxBodyBytes)
}

function readRequest(readHead: ReadHead, bytes: Buffer, maxBodyBytes: number): ReturnType<ReadRequest> {
  const end = bytes.subarray(0, maxHeadBytes).indexOf(headEnd)
  if (end === -1) return 'unusual'
  const bodyStart = end + headEnd.length
  const spans = readHead(bytes.subarray(0, bodyStart))
  if (spans === null) return 'unusual'
  // Header values are bytes; Node shows them as Latin-1.
  const text = bytes.toString('latin1', 0, bodyStart)
  const read = readHeaders(text, spans.headers)
  if (read === null || !isUsual(read.headers)) return 'unusual'
  const method = text.slice(0, text.indexOf(' '))
  const length = bodyLength(method, read.headers)
  if (length === null || length > maxBodyBytes) return 'unusual'
  const endsAt = bodyStart + length
  if (bytes.length < endsAt) return 'incomplete'
  const target = text.slice(spans.targetStart, spans.targetEnd)
  return { method, target, ...read, body: bytes.subarray(bodyStart, endsAt), endsAt }
}

/** Returns the headers; null when one comes twice. */
function readHeaders(
  text: string,
  spans: readonly number[],
): Pick<WholeRequest, 'headers' | 'rawHeaders'> | null {
  const headers: Record<string, string> = {}
  const rawHeaders: string[] = []
  for (let i = 0; i < spans.length; i += 4) {
    const name = text.slice(spans[i], spans[i + 1])
    const value = trimmedEnd(text, spans[i + 2] as number, spans[i + 3] as number)
    const key = name.toLowerCase()
    if (headers[key] !== undefined) return null
    // A slice would keep the whole head in memory, and these are kept: keys that are known, addresses that are counted.
    headers[key] = keptHeaders.includes(key) ? Buffer.from(value, 'latin1').toString('latin1') : value
    rawHeaders.push(name, value)
  }
  return { headers, rawHeaders }
}

/** Blanks before a value are no part of it, nor are those behind it, which llhttp leaves. */
function trimmedEnd(text: string, start: number, end: number): string {
  let last = end
  while (last > start && (text[last - 1] === ' ' || text[last - 1] === '\t')) last -= 1
  return text.slice(start, last)
}

function isUsual(headers: IncomingHttpHeaders): boolean {
  if (headers.host === undefined) return false
  for (const name of unusualHeaders) if (headers[name] !== undefined) return false
  for (const name of connectionHeaders)
    if (!/^(keep-alive)?$/i.test(headers[name]?.toString() ?? '')) return false
  return headers['content-type'] === undefined || usualTypes.includes(headers['content-type'])
}

/** Returns the length of the body; null where it is not said as usual. */
function bodyLength(method: string, headers: IncomingHttpHeaders): number | null {
  const given = headers['content-length']
  if (method !== 'POST') return given === undefined ? 0 : null
  // llhttp has checked that these are digits.
  return given === undefined ? null : Number(given)
}

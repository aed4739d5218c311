import { type CommandCodec, codecById } from './body-codecs.ts'
import type { Cursor } from './cursor.ts'
import type { Command, Pdu } from './pdu.ts'

export const headerBytes = 16

/** A well-framed PDU of a known command with an invalid body. The stream continues after it. */
export interface MalformedPdu {
  command: 'malformed'
  commandId: number
  /** The command that it claims to be. */
  claimed: Command
  status: number
  sequence: number
  fault: string
}

/**
 * Parses the PDU from `start` to `end` of `bytes`, its header of 16 octets included (section 3.2); framing is
 * up to the caller. Total: every content yields a PDU, an `unknown` or a `malformed` one, and nothing throws.
 * Octets of messages and TLVs are views of `bytes`. The body of a response may be missing, and that of an
 * error response may be anything: it is null if it cannot be parsed.
 */
export function decodePdu(bytes: Buffer, start: number, end: number): Pdu | MalformedPdu {
  const commandId = bytes.readUInt32BE(start + 4)
  const status = bytes.readUInt32BE(start + 8)
  const sequence = bytes.readUInt32BE(start + 12)
  const codec = codecById(commandId)
  const at = start + headerBytes
  if (codec === undefined)
    return { command: 'unknown', commandId, status, sequence, body: bytes.subarray(at, end) }
  if (codec.body === null || (codec.isResponse && at === end)) return pduOf(codec, status, sequence, null)
  const cursor: Cursor = { bytes, at, end, fault: null, rest: null }
  const body = codec.body.read(cursor)
  if (cursor.fault === null) {
    const pdu = pduOf(codec, status, sequence, body)
    return cursor.rest === null ? pdu : ({ ...pdu, rest: cursor.rest } as Pdu)
  }
  if (codec.isResponse && status !== 0) return pduOf(codec, status, sequence, null)
  return { command: 'malformed', commandId, claimed: codec.command, status, sequence, fault: cursor.fault }
}

// The table decides which body belongs to which command; the compiler cannot know that.
const pduOf = (codec: CommandCodec, status: number, sequence: number, body: unknown): Pdu =>
  ({ command: codec.command, status, sequence, body }) as Pdu

import type { PduReader } from './pdu-reader.ts'

/** A time stamp in a PDU (3GPP TS 23.040, section 9.2.3.11). */
export interface TimeStamp {
  atMs: number
  /** The same reading of the clock, without its time zone, as if it were UTC. */
  localMs: number
}

const timeStampOctets = 7
const quarterMs = 900_000
/** In the first digit of the time zone: it is west of Greenwich. */
const westward = 0x8

/** Reads a time stamp; null where a field is none, such as the zeros of a network without a clock. */
export function readTimeStamp(reader: PduReader): TimeStamp | null {
  const octets = reader.take(timeStampOctets)
  const [year, month, day, hour, minute, second] = Array.from(octets.subarray(0, 6), swapped)
  const zone = octets[6] as number
  const quarters = swapped(zone & ~westward)
  const fields = [year, month, day, hour, minute, second, quarters]
  if (fields.some((field) => field === null)) return null
  const text = `20${two(year)}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}Z`
  const localMs = Date.parse(text)
  // Date.parse accepts 30 February as 2 March.
  if (Number.isNaN(localMs) || new Date(localMs).getUTCDate() !== day) return null
  const aheadMs = (quarters as number) * quarterMs * ((zone & westward) === 0 ? 1 : -1)
  return { atMs: localMs - aheadMs, localMs }
}

/** Writes a time in UTC; a fraction of a second is cut off. */
export function encodeTimeStamp(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().slice(2, 19).replaceAll(/\D/g, '')
  const pairs = digits.match(/../g) ?? []
  return Buffer.from([...pairs.map((pair) => Number(pair[0]) | (Number(pair[1]) << 4)), 0])
}

/** Reads two digits, the first in the lower half; null where one of them is no digit. */
function swapped(octet: number): number | null {
  const [tens, ones] = [octet & 0xf, octet >> 4]
  return tens > 9 || ones > 9 ? null : tens * 10 + ones
}

const two = (value: number | null | undefined): string => String(value).padStart(2, '0')

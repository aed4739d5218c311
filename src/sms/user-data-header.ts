import type { NationalLanguages } from './gsm7.ts'
import type { PartRoom } from './sms-text.ts'

/** The place of a part in a long message, as its sender numbered it. */
export interface Fragment {
  reference: number
  total: number
  /** From 1. */
  index: number
}

/** A part that is to be sent: its message's reference, and its number of `total`. */
export interface PartPlace {
  reference: number
  total: number
  number: number
}

/**
 * Information elements of a user data header (3GPP TS 23.040, section 9.2.3.24): concatenation with 8 and
 * with 16 bits, ports of an application, tables of a national language.
 */
const concatenation8 = 0x00
const concatenation16 = 0x08
const ports8 = 0x04
const ports16 = 0x05
const singleShift = 0x24
const lockingShift = 0x25

/** Writes the header of a part with an 8-bit reference (section 9.2.3.24.1). */
export const udh8 = ({ reference, total, number }: PartPlace): Buffer =>
  Buffer.from([5, concatenation8, 3, reference & 0xff, total, number])

/** Writes the header of a part with a 16-bit reference (section 9.2.3.24.8). */
export const udh16 = ({ reference, total, number }: PartPlace): Buffer =>
  Buffer.from([6, concatenation16, 4, (reference >> 8) & 0xff, reference & 0xff, total, number])

/** A seventh octet of header: 140 × 8 / 7 − 8 septets, and (140 − 7) / 2 units. */
export const roomAfterUdh16: PartRoom = { septets: 152, utf16: 66 }

/** Returns the header at the beginning of user data, with its length octet; one that is too long is all of it. */
export const headerOf = (octets: Buffer): Buffer =>
  octets.subarray(0, Math.min(octets.length, (octets[0] ?? 0) + 1))

/** Returns which part of a longer message the header names; null without one. Concatenation may follow other elements. */
export function fragmentOf(header: Buffer): Fragment | null {
  for (const [element, value] of elementsOf(header)) {
    if (element === concatenation8 && value.length === 3)
      return validFragment(value[0] as number, value[1] as number, value[2] as number)
    if (element === concatenation16 && value.length === 4)
      return validFragment(value.readUInt16BE(0), value[2] as number, value[3] as number)
  }
  return null
}

/** Returns the fragment; null for an invalid count or place: then the message is treated as complete. */
export const validFragment = (reference: number, total: number, index: number): Fragment | null =>
  total < 2 || index < 1 || index > total ? null : { reference, total, index }

/** Returns the national languages of a text. Of an element that is repeated the last one counts (section 9.2.3.24). */
export function languagesOf(header: Buffer): NationalLanguages {
  const languages: NationalLanguages = {}
  for (const [element, value] of elementsOf(header)) {
    if (element === singleShift && value.length === 1) languages.single = value[0] as number
    if (element === lockingShift && value.length === 1) languages.locking = value[0] as number
  }
  return languages
}

/** Returns the port of the application that a message is for (sections 9.2.3.24.3 and 9.2.3.24.4); null for a person. */
export function destinationPortOf(header: Buffer): number | null {
  for (const [element, value] of elementsOf(header)) {
    if (element === ports8 && value.length === 2) return value[0] as number
    if (element === ports16 && value.length === 4) return value.readUInt16BE(0)
  }
  return null
}

function* elementsOf(header: Buffer): Generator<[element: number, value: Buffer]> {
  for (let at = 1; at + 1 < header.length;) {
    const length = header[at + 1] as number
    yield [header[at] as number, header.subarray(at + 2, at + 2 + length)]
    at += 2 + length
  }
}

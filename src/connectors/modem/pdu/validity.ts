import { encodeTimeStamp } from './time-stamp.ts'

/** How the remaining validity of a part is sent; `none` leaves it to the network. */
export type ValidityForm = 'relative' | 'absolute' | 'none'

/** The validity of an SMS-SUBMIT: the bits of its first octet that announce it, and its octets. */
export interface EncodedValidity {
  format: number
  octets: Buffer
}

const minuteSeconds = 60
const hourSeconds = 60 * minuteSeconds
const daySeconds = 24 * hourSeconds
const weekSeconds = 7 * daySeconds

/** Ranges of TP-VP (3GPP TS 23.040, section 9.2.3.12.1): values from `first` on mean `atSeconds`, each further one `stepSeconds` more. */
const ranges = [
  { first: 197, atSeconds: 5 * weekSeconds, stepSeconds: weekSeconds, last: 255 },
  { first: 168, atSeconds: 2 * daySeconds, stepSeconds: daySeconds, last: 196 },
  { first: 144, atSeconds: 12.5 * hourSeconds, stepSeconds: 0.5 * hourSeconds, last: 167 },
  { first: 0, atSeconds: 5 * minuteSeconds, stepSeconds: 5 * minuteSeconds, last: 143 },
] as const

/** Returns the longest relative validity that is not longer than this (P8); null below the five minutes of the shortest. */
export function relativeValidity(seconds: number): number | null {
  const range = ranges.find(({ atSeconds }) => seconds >= atSeconds)
  if (range === undefined) return null
  const { first, atSeconds, stepSeconds, last } = range
  return Math.min(last, first + Math.floor((seconds - atSeconds) / stepSeconds))
}

/**
 * Encodes the rest of a validity, from `nowMs` on. A relative one does not depend on clocks; where it cannot be
 * short enough, the end is sent as a time in UTC.
 */
export function encodeValidity(form: ValidityForm, seconds: number, nowMs: number): EncodedValidity {
  if (form === 'none') return { format: formats.none, octets: Buffer.alloc(0) }
  const relative = form === 'relative' ? relativeValidity(seconds) : null
  return relative === null
    ? { format: formats.absolute, octets: encodeTimeStamp(nowMs + seconds * 1000) }
    : { format: formats.relative, octets: Buffer.from([relative]) }
}

/** TP-VPF (section 9.2.3.3). */
const formats = { none: 0x00, relative: 0x10, absolute: 0x18 } as const

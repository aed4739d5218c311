import { toSeptets } from '../sms-text/alphabets.ts'
import { writeDeliver } from '../sms-tpdu/deliver-tpdu.ts'
import { addressOf, type TpduAddress } from '../sms-tpdu/tpdu-address.ts'
import type { Arriving } from './arrivals.ts'

/** An SMS for a modem, as its sender and the network make it. */
export interface InboundSms {
  /** `+49…`, digits, or letters for an alphanumeric one; or with its type octet. */
  from: string | TpduAddress
  /** Split into parts where it is too long for one. */
  text?: string
  /** 8-bit data in place of a text. */
  hex?: string
  /** `gsm7` where the text fits, else `ucs2`, without it. */
  encoding?: 'gsm7' | 'ucs2'
  /** TP-DCS in place of 0x00, 0x04 and 0x08, with the same alphabet: 0x10 for class 0, 0xc8 for a waiting message. */
  dcs?: number
  pid?: number
  /** Of a text in parts; two octets for one above 255 or where it says so. */
  reference?: number
  referenceOctets?: 1 | 2
  /** Septets or UTF-16 units of each part but the last. UCS-2 parts end between the units of a pair where it falls so. */
  partUnits?: number
  /** Further elements in front of that of the parts, hex: `05040b8423f0` is a port. */
  elements?: string
  /** Which parts come, from 1, in which order; all in turn without it. */
  order?: readonly number[]
  sentAtMs?: number
}

/** Gives what the SMSC has for the modem: a TPDU for each part. */
export function inboundParts(sms: InboundSms, nowMs: number, offsetMinutes: number): Arriving[] {
  const { text, hex, pid = 0, reference = 1, elements = '', sentAtMs = nowMs } = sms
  const encoding =
    hex === undefined ? (sms.encoding ?? (toSeptets(text ?? '') === null ? 'ucs2' : 'gsm7')) : 'data'
  const dcs = sms.dcs ?? { gsm7: 0x00, data: 0x04, ucs2: 0x08 }[encoding]
  const pieces = encoding === 'data' ? [null] : split(text ?? '', encoding, sms.partUnits ?? null)
  const octets = sms.referenceOctets ?? (reference > 255 ? 2 : 1)
  const parts = pieces.map((piece, place): Arriving => {
    const join = pieces.length === 1 ? '' : joinElement(reference, octets, pieces.length, place + 1)
    const tpdu = writeDeliver({
      from: typeof sms.from === 'string' ? addressOf(sms.from) : sms.from,
      content: piece === null ? { hex: hex ?? '' } : { text: piece },
      dcs,
      pid,
      elements: elements + join,
      isMoreWaiting: place + 1 < pieces.length,
      sentAtMs,
      offsetMinutes,
    })
    return { of: 'sms', tpdu, dcs, pid, reference: null }
  })
  return sms.order === undefined ? parts : sms.order.map((part) => parts[part - 1] as Arriving)
}

function split(text: string, encoding: 'gsm7' | 'ucs2', partUnits: number | null): string[] {
  const [alone, joined] = encoding === 'gsm7' ? [160, 153] : [70, 67]
  // Units one by one: a pair may be cut, as it is by handsets that count units. An escape and what it escapes stay together.
  const units = encoding === 'gsm7' ? [...text] : text.split('')
  const lengthOf = (unit: string): number => (encoding === 'gsm7' ? (toSeptets(unit)?.length ?? 1) : 1)
  const total = units.reduce((sum, unit) => sum + lengthOf(unit), 0)
  if (total <= (partUnits ?? alone)) return [text]
  const pieces: string[] = []
  let [piece, length] = ['', 0]
  for (const unit of units) {
    if (length + lengthOf(unit) > (partUnits ?? joined)) {
      pieces.push(piece)
      ;[piece, length] = ['', 0]
    }
    piece += unit
    length += lengthOf(unit)
  }
  return [...pieces, piece]
}

const hexDigits = (number: number, octets: number): string => number.toString(16).padStart(octets * 2, '0')

const joinElement = (reference: number, octets: 1 | 2, total: number, part: number): string =>
  `${octets === 1 ? '0003' : '0804'}${hexDigits(reference, octets)}${hexDigits(total, 1)}${hexDigits(part, 1)}`

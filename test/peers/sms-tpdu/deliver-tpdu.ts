import { packSeptets, toSeptets } from '../sms-text/alphabets.ts'
import { type TpduAddress, writeAddress } from './tpdu-address.ts'
import { hexOf } from './tpdu-octets.ts'
import { alphabetOf } from './tpdu-text.ts'
import { writeTime } from './tpdu-time.ts'

/** A text or data for a modem, as one SMS-DELIVER (3GPP TS 23.040 section 9.2.2.1). */
export interface DeliverTpdu {
  from: TpduAddress
  /** In the alphabet of `dcs`; data in hex where it is none. */
  content: { text: string } | { hex: string }
  dcs: number
  pid: number
  /** Elements of the header, in hex and without its length octet. */
  elements: string
  /** TP-MMS: whether more waits at the SMSC. */
  isMoreWaiting: boolean
  sentAtMs: number
  offsetMinutes: number
}

/** Writes the TPDU in hex, without an SMSC. */
export function writeDeliver(deliver: DeliverTpdu): string {
  const header = deliver.elements === '' ? Buffer.alloc(0) : Buffer.from(withLength(deliver.elements), 'hex')
  const firstOctet = 0x00 | (header.length > 0 ? 0x40 : 0) | (deliver.isMoreWaiting ? 0 : 0x04)
  return hexOf(
    [firstOctet],
    writeAddress(deliver.from),
    [deliver.pid, deliver.dcs],
    writeTime(deliver.sentAtMs, deliver.offsetMinutes),
    writeUserData(deliver.content, deliver.dcs, header),
  )
}

const withLength = (hex: string): string => (hex.length / 2).toString(16).padStart(2, '0') + hex

function writeUserData(content: DeliverTpdu['content'], dcs: number, header: Buffer): Buffer {
  if ('hex' in content) return counted(Buffer.concat([header, Buffer.from(content.hex, 'hex')]))
  if (alphabetOf(dcs) === 'ucs2')
    return counted(Buffer.concat([header, Buffer.from(content.text, 'utf16le').swap16()]))
  const septets = toSeptets(content.text)
  if (septets === null) throw new Error(`Not in the GSM alphabet: ${content.text}`)
  const length = Math.ceil((header.length * 8) / 7) + septets.length
  return Buffer.concat([Buffer.from([length]), header, packSeptets(septets, header.length)])
}

const counted = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length]), bytes])

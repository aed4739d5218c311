import type { DeliverOrder } from '../smsc-peer.ts'
import { packSeptets, toSeptets } from './alphabets.ts'

/** A text that a handset sends, as the SMSC hands it to an ESME. */
export interface MobileText {
  from: string
  to: string
  text: string
  /** How parts are told apart; `none` sends one part however long. */
  method: 'none' | 'udh8' | 'udh16' | 'sar' | 'payload'
  encoding?: 'gsm7' | 'gsm7-packed' | 'latin1' | 'ucs2'
  reference?: number
  /** Characters (of the encoding's units) in each part. */
  partLength?: number
  /** Another element of the user data header before the one that joins, hex: `05040b8423f0` is a port. */
  elementBefore?: string
}

/** The deliver_sm PDUs for a text, part 1 first. */
export function mobileOriginated(mobile: MobileText): DeliverOrder[] {
  const { from, to, text, method, encoding = 'gsm7', reference = 1, partLength = 60 } = mobile
  const isSplit = method !== 'none' && method !== 'payload'
  const pieces = isSplit ? cut(text, partLength) : [text]
  return pieces.map((piece, index) => {
    const header = headerOf(mobile, reference, pieces.length, index + 1)
    const bytes = Buffer.concat([header, encode(piece, encoding, header.length)])
    const fields: DeliverOrder['fields'] = {
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: from,
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: to,
      esm_class: header.length > 0 ? 0x40 : 0,
      data_coding: { gsm7: 0, 'gsm7-packed': 0, latin1: 3, ucs2: 8 }[encoding],
      short_message: { hex: method === 'payload' ? '' : bytes.toString('hex') },
    }
    if (method === 'payload') fields['message_payload'] = { hex: bytes.toString('hex') }
    if (method === 'sar') {
      fields['sar_msg_ref_num'] = reference
      fields['sar_total_segments'] = pieces.length
      fields['sar_segment_seqnum'] = index + 1
    }
    return { fields }
  })
}

/** Never inside of a code point; an escaped GSM character counts as one here, which a generous length allows. */
function cut(text: string, length: number): string[] {
  const characters = [...text]
  return Array.from({ length: Math.max(1, Math.ceil(characters.length / length)) }, (_, index) =>
    characters.slice(index * length, (index + 1) * length).join(''),
  )
}

function headerOf(mobile: MobileText, reference: number, total: number, part: number): Buffer {
  const before = Buffer.from(mobile.elementBefore ?? '', 'hex')
  const join = {
    udh8: [0x00, 3, reference & 0xff, total, part],
    udh16: [0x08, 4, reference >> 8, reference & 0xff, total, part],
  }[mobile.method as 'udh8' | 'udh16']
  if (join === undefined && before.length === 0) return Buffer.alloc(0)
  const elements = Buffer.concat([before, Buffer.from(join ?? [])])
  return Buffer.concat([Buffer.from([elements.length]), elements])
}

function encode(text: string, encoding: NonNullable<MobileText['encoding']>, udhOctets: number): Buffer {
  if (encoding === 'ucs2') return Buffer.from(text, 'utf16le').swap16()
  if (encoding === 'latin1') return Buffer.from(text, 'latin1')
  const septets = toSeptets(text)
  if (septets === null) throw new Error(`Not in the GSM alphabet: ${text}`)
  return encoding === 'gsm7' ? Buffer.from(septets) : packSeptets(septets, udhOctets)
}

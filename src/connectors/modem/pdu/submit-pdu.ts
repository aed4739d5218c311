import { encodeGsm7 } from '../../../sms/gsm7.ts'
import { packSeptets, septetsOfHeader } from '../../../sms/septets.ts'
import { encodeUcs2 } from '../../../sms/ucs2.ts'
import { encodeAddress, encodeServiceCentre } from './address.ts'
import type { EncodedValidity } from './validity.ts'

/** An SMS to be sent. */
export interface SubmitFields {
  /** Null leaves the service centre to the SIM. */
  serviceCentre: string | null
  to: string
  /** The user data header with its length octet; empty without one. */
  header: Buffer
  text: string
  encoding: 'gsm7' | 'ucs2'
  validity: EncodedValidity
  asksForReport: boolean
}

/** A PDU as AT+CMGS takes it: its octets in hexadecimal, and the length that goes before it. */
export interface EncodedPdu {
  hex: string
  /** Without the service centre (3GPP TS 27.005, section 4.3). */
  length: number
}

const submitType = 0x01
const reportRequest = 0x20
const headerIndicator = 0x40
/** Modems replace the reference by their own. */
const anyReference = 0
const ordinaryProtocol = 0
const codings = { gsm7: 0x00, ucs2: 0x08 } as const
const maxUserOctets = 140

/**
 * Encodes an SMS-SUBMIT (3GPP TS 23.040, section 9.2.2.2). TP-RD stays 0: rejecting duplicates compares the
 * reference, which wraps, and is always 0 on some modems. Throws a RangeError for a number that is none and for
 * a text that is too long.
 */
export function encodeSubmit(fields: SubmitFields): EncodedPdu {
  const { header, validity, asksForReport } = fields
  const first =
    submitType |
    validity.format |
    (asksForReport ? reportRequest : 0) |
    (header.length > 0 ? headerIndicator : 0)
  const { octets: userData, length: userLength } = encodeUserData(fields)
  if (userData.length > maxUserOctets)
    throw new RangeError(`${userData.length} octets are too long for an SMS`)
  const tpdu = Buffer.concat([
    Buffer.from([first, anyReference]),
    encodeAddress(fields.to),
    Buffer.from([ordinaryProtocol, codings[fields.encoding]]),
    validity.octets,
    Buffer.from([userLength]),
    userData,
  ])
  const whole = Buffer.concat([encodeServiceCentre(fields.serviceCentre), tpdu])
  return { hex: whole.toString('hex').toUpperCase(), length: tpdu.length }
}

/** The user data, with its length as TP-UDL counts it: in septets or in octets, the header included. */
function encodeUserData({ header, text, encoding }: SubmitFields): { octets: Buffer; length: number } {
  if (encoding === 'ucs2') {
    const octets = Buffer.concat([header, encodeUcs2(text)])
    return { octets, length: octets.length }
  }
  const septets = encodeGsm7(text)
  const octets = Buffer.concat([header, packSeptets(septets, header.length)])
  return { octets, length: septetsOfHeader(header.length) + septets.length }
}

import type { CodedText } from '../../../sms/coded-text.ts'
import { alphabetOfDcs } from '../../../sms/data-coding.ts'
import { septetsOfHeader, unpackSeptets } from '../../../sms/septets.ts'
import {
  destinationPortOf,
  type Fragment,
  fragmentOf,
  headerOf,
  languagesOf,
} from '../../../sms/user-data-header.ts'
import { type PduAddress, readAddress } from './address.ts'
import type { PduReader } from './pdu-reader.ts'
import { readTimeStamp, type TimeStamp } from './time-stamp.ts'

/** A received SMS. */
export interface DeliveredSms {
  kind: 'deliver'
  from: PduAddress
  protocol: number
  /** When the network received it; null where it names no valid time. */
  networkTime: TimeStamp | null
  /** Its text; a string is the hexadecimal form of what is no text. */
  content: CodedText | string
  /** Its place in a long message; null when it is complete. */
  fragment: Fragment | null
  /** The application that it is for; null for a person. */
  port: number | null
}

const headerIndicator = 0x40

/**
 * Reads an SMS-DELIVER after its first octet (3GPP TS 23.040, section 9.2.2.1). A text that ends before its
 * length is taken as far as it goes: what the network cut off does not come again.
 */
export function readDeliver(reader: PduReader, first: number): DeliveredSms {
  const from = readAddress(reader)
  const protocol = reader.octet()
  const coding = reader.octet()
  const networkTime = readTimeStamp(reader)
  const length = reader.octet()
  const userData = reader.rest(maxUserOctets)
  const header = (first & headerIndicator) === 0 ? Buffer.alloc(0) : headerOf(userData)
  const content = contentOf({ userData, header, coding, length })
  return {
    kind: 'deliver',
    from,
    protocol,
    networkTime,
    content,
    fragment: fragmentOf(header),
    port: destinationPortOf(header),
  }
}

const maxUserOctets = 140

interface UserData {
  userData: Buffer
  header: Buffer
  coding: number
  /** TP-UDL, in septets or in octets. */
  length: number
}

function contentOf({ userData, header, coding, length }: UserData): CodedText | string {
  const alphabet = alphabetOfDcs(coding)
  if (alphabet === 'gsm7') {
    const body = userData.subarray(header.length)
    const held = Math.floor((userData.length * 8) / 7) - septetsOfHeader(header.length)
    const count = Math.max(0, Math.min(length - septetsOfHeader(header.length), held))
    return {
      octets: unpackSeptets(body, header.length, count),
      coding: { alphabet, ...languagesOf(header) },
    }
  }
  const body = userData.subarray(header.length, Math.max(header.length, length))
  return alphabet === 'ucs2' ? { octets: body, coding: { alphabet } } : body.toString('hex')
}

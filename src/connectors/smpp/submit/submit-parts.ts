import { referenceOfPart } from '../../../sms/part-reference.ts'
import { splitText } from '../../../sms/sms-text.ts'
import { encodeUcs2 } from '../../../sms/ucs2.ts'
import { type PartPlace, roomAfterUdh16, udh16, udh8 } from '../../../sms/user-data-header.ts'
import type { Submission } from '../../connector.ts'
import { type AddressSettings, destinationAddress, sourceAddress } from '../../../smpp/values/address.ts'
import {
  defaultEncoder,
  type EncodeText,
  isInAlphabet,
  type TextSettings,
} from '../../../smpp/values/encode-text.ts'
import { type MessageFields, type Tlv, tlvTags } from '../../../smpp/codec/pdu.ts'
import { type ValidityForm, validityPeriod } from '../../../smpp/values/validity-period.ts'

/** How a link encodes messages. */
export interface MessageSettings extends AddressSettings, TextSettings {
  /** Of texts in the default alphabet; UCS-2 is always 8. */
  dataCoding: number
  concat: 'udh8' | 'udh16' | 'sar' | 'payload'
  receipts: 'all' | 'failures' | 'none'
  validity: ValidityForm
  serviceType: string
  protocolId: number
  /** Whether each part carries a number that a receipt may return. */
  userMessageReference: boolean
  /** Sent with every part, as they are. */
  tlvs: readonly Tlv[]
}

/**
 * Returns the parts of a message as they are sent, at least one. `nextReference` returns the reference that
 * distinguishes the parts of one message from those of others to the same recipient, and is called only if
 * there are several: a counter of 16 bits per link and destination, of which the 8-bit header uses the lower
 * half.
 *
 * The parts are those that were priced, with three exceptions. `udh16` has a longer header (152 septets or 66
 * units per part instead of 153 and 67) and may need one part more. A text with a character that the default
 * alphabet of the link lacks is sent as UCS-2 and may need more. `payload` is always one, and the SMSC splits
 * it. Throws a RangeError for a sender that `senderFault` rejects and for more than 255 parts.
 */
export function submitParts(
  submission: Submission,
  settings: MessageSettings,
  nextReference: () => number,
  nowMs: number,
): MessageFields[] {
  const parts = joinedParts(submission, settings, nextReference, nowMs)
  const isTaken = settings.tlvs.some(({ tag }) => tag === tlvTags.user_message_reference)
  if (!settings.userMessageReference || isTaken) return parts
  return parts.map((part, index) => withTlvs(part, [userReference(submission.attemptId, index)]))
}

/** Section 5.3.2.17. What an operator has set under the same tag takes precedence. */
function userReference(attemptId: string, part: number): Tlv {
  const reference = referenceOfPart(attemptId, part)
  return { tag: tlvTags.user_message_reference, value: Buffer.from([reference >> 8, reference & 0xff]) }
}

function joinedParts(
  submission: Submission,
  settings: MessageSettings,
  nextReference: () => number,
  nowMs: number,
): MessageFields[] {
  const { text } = submission
  const isUcs2 = submission.encoding === 'ucs2' || !isInAlphabet(text, settings.alphabet)
  const encode = isUcs2 ? encodeUcs2 : defaultEncoder(settings)
  const pieces = splitText(
    text,
    isUcs2 ? 'ucs2' : 'gsm7',
    settings.concat === 'udh16' ? roomAfterUdh16 : undefined,
  )
  const common = commonFields(submission, settings, nowMs, isUcs2 ? ucs2Coding : settings.dataCoding)
  if (pieces.length === 1) return [{ ...common, shortMessage: encode(text, 0) }]
  if (settings.concat === 'payload')
    return [withTlvs(common, [{ tag: tlvTags.message_payload, value: encode(text, 0) }])]
  if (pieces.length > maxParts)
    throw new RangeError(`${pieces.length} parts cannot be joined, only ${maxParts}`)
  const reference = nextReference()
  return pieces.map((piece, index) => {
    const place = { reference, total: pieces.length, number: index + 1 }
    return settings.concat === 'sar'
      ? { ...withTlvs(common, sarTlvs(place)), shortMessage: encode(piece, 0) }
      : afterHeader(common, settings.concat === 'udh8' ? udh8(place) : udh16(place), piece, encode)
  })
}

/** The total is one octet, in every method. */
const maxParts = 255
/** Section 5.2.19. */
const ucs2Coding = 8
/** The bit of esm_class for a text that begins with a user data header (section 5.2.12). */
const udhIndicator = 0x40

const registeredDelivery = { none: 0, all: 1, failures: 2 } as const
/** GSM has only normal and priority (section 5.2.14); codes must not wait for campaigns at the SMSC either. */
const priorityFlag = { authentication: 1, transactional: 0, marketing: 0 } as const
const noText = Buffer.alloc(0)

function commonFields(
  { to, from, category, validitySeconds }: Submission,
  settings: MessageSettings,
  nowMs: number,
  dataCoding: number,
): MessageFields {
  return {
    serviceType: settings.serviceType,
    source: sourceAddress(from, settings),
    destination: destinationAddress(to, settings),
    esmClass: 0,
    protocolId: settings.protocolId,
    priorityFlag: priorityFlag[category],
    scheduleDeliveryTime: '',
    validityPeriod: validityPeriod(settings.validity, validitySeconds, nowMs),
    registeredDelivery: registeredDelivery[settings.receipts],
    replaceIfPresent: 0,
    dataCoding,
    defaultMessageId: 0,
    shortMessage: noText,
    tlvs: settings.tlvs,
  }
}

const withTlvs = (fields: MessageFields, tlvs: readonly Tlv[]): MessageFields => ({
  ...fields,
  tlvs: [...tlvs, ...fields.tlvs],
})

function afterHeader(
  fields: MessageFields,
  header: Buffer,
  piece: string,
  encode: EncodeText,
): MessageFields {
  const shortMessage = Buffer.concat([header, encode(piece, header.length)])
  return { ...fields, esmClass: fields.esmClass | udhIndicator, shortMessage }
}

/** Sections 5.3.2.22 to 5.3.2.24. */
const sarTlvs = ({ reference, total, number }: PartPlace): Tlv[] => [
  { tag: tlvTags.sar_msg_ref_num, value: Buffer.from([(reference >> 8) & 0xff, reference & 0xff]) },
  { tag: tlvTags.sar_total_segments, value: Buffer.from([total]) },
  { tag: tlvTags.sar_segment_seqnum, value: Buffer.from([number]) },
]

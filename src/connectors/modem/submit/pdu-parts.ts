import { splitText } from '../../../sms/sms-text.ts'
import { roomAfterUdh16, udh16, udh8 } from '../../../sms/user-data-header.ts'
import type { Submission } from '../../connector.ts'
import type { SubmitFields } from '../pdu/submit-pdu.ts'

/** One part of a message, before its validity is known. */
export type PduPart = Pick<SubmitFields, 'header' | 'text' | 'encoding'>

/** How the parts of a message are joined: by a reference of 8 or of 16 bits. */
export type Concat = 'udh8' | 'udh16'

const noHeader = Buffer.alloc(0)

/**
 * Returns the parts of a message, at least one. `nextReference` is called only if there are several. They are those
 * that were priced, except that `udh16` has a longer header (152 septets or 66 units in a part, in the place of 153
 * and 67) and may need one part more.
 */
export function pduParts(
  { text, encoding }: Pick<Submission, 'text' | 'encoding'>,
  concat: Concat,
  nextReference: () => number,
): PduPart[] {
  const pieces = splitText(text, encoding, concat === 'udh16' ? roomAfterUdh16 : undefined)
  if (pieces.length === 1) return [{ header: noHeader, text, encoding }]
  const reference = nextReference()
  const headerAt = concat === 'udh16' ? udh16 : udh8
  return pieces.map((piece, index) => ({
    header: headerAt({ reference, total: pieces.length, number: index + 1 }),
    text: piece,
    encoding,
  }))
}

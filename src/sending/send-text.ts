import type { Fault } from '../runtime/errors.ts'
import { replaceLookAlikes } from '../sms/smart-encoding.ts'
import {
  applySmartEncoding,
  findTextFault,
  measureText,
  normalizeText,
  type Offending,
  type TextMeasure,
} from '../sms/sms-text.ts'

/** A text as it will be sent, with its cost. */
export interface PricedText extends TextMeasure {
  text: string
  smartEncodingApplied: boolean
  /** Parts without smart encoding; equal to `parts` unless it was applied. */
  plainParts: number
  /** UCS-2 was requested although GSM-7 has all characters. */
  encodingForced: boolean
}

export interface TextWishes {
  encoding: 'auto' | 'gsm7' | 'ucs2'
  smartEncoding: boolean
  maxParts: number
}

/**
 * Normalises and prices a text; adds a fault and returns null if it cannot be sent as requested. Texts are
 * never cut.
 */
export function priceText(raw: string, wishes: TextWishes, faults: Fault[]): PricedText | null {
  const fault = findTextFault(raw)
  if (fault !== null) {
    faults.push({ pointer: '/text', code: fault.code, detail: `${fault.detail} (character ${fault.index})` })
    return null
  }
  const priced = price(normalizeText(raw), wishes)
  if ('notEncodable' in priced) {
    faults.push(notEncodable(priced.notEncodable))
    return null
  }
  if (priced.parts <= wishes.maxParts) return priced
  const detail = `The message needs ${priced.parts} parts and \`max_parts\` is ${wishes.maxParts}.`
  faults.push({ pointer: '/text', code: 'message_too_long', detail })
  return null
}

function price(
  text: string,
  { encoding, smartEncoding }: TextWishes,
): PricedText | { notEncodable: Offending[] } {
  const plain = measureText(text, encoding)
  if (smartEncoding && encoding !== 'ucs2') {
    // With `gsm7`, only the replaced text can be sent; otherwise it must save a part.
    const smart =
      'notEncodable' in plain ? { text: replaceLookAlikes(text), applied: true } : applySmartEncoding(text)
    const measure = smart.applied ? measureText(smart.text, 'gsm7') : null
    if (measure !== null && !('notEncodable' in measure)) {
      const plainParts = 'notEncodable' in plain ? measure.parts : plain.parts
      return { ...measure, text: smart.text, smartEncodingApplied: true, plainParts, encodingForced: false }
    }
  }
  if ('notEncodable' in plain) return plain
  const encodingForced = encoding === 'ucs2' && measureText(text, 'auto').encoding === 'gsm7'
  return { ...plain, text, smartEncodingApplied: false, plainParts: plain.parts, encodingForced }
}

function notEncodable(offending: Offending[]): Fault & { offending: Offending[] } {
  const named = offending.slice(0, 10).map(({ character, code_point }) => `${character} (${code_point})`)
  const more = offending.length > 10 ? ` and ${offending.length - 10} more` : ''
  return {
    pointer: '/text',
    code: 'not_encodable',
    detail: `GSM-7 lacks ${named.join(', ')}${more}.`,
    offending,
  }
}

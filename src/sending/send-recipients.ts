import type { Fault } from '../runtime/errors.ts'
import { presentSpelling } from '../numbers/number-changes.ts'
import { parsePhoneNumber, type PhoneKind } from '../numbers/phone-number.ts'
import type { Mode } from '../storage/tables/schema.ts'
import { isTestNumber } from '../numbers/test-number.ts'
import { testAnswerTo } from './test-answers.ts'

export interface Recipient {
  to: string
  country: string | null
  kind: PhoneKind
  /** True if it is longer than its numbering plan allows. */
  isOverlong?: true
  /** JSON pointer into the body. */
  pointer: string
}

/**
 * Returns the recipients in the order of `to`; adds a fault for each number that is invalid, listed twice, or
 * only for test mode.
 */
export function readRecipients(to: string | readonly string[], mode: Mode, faults: Fault[]): Recipient[] {
  if (typeof to === 'string') return readRecipient(to, '/to', mode, faults)
  const seen = new Set<string>()
  return to.flatMap((raw, i) => {
    const pointer = `/to/${i}`
    if (seen.has(presentSpelling(raw))) {
      faults.push({
        pointer,
        code: 'duplicate_recipient',
        detail: 'This number is listed twice. Each recipient gets one message.',
      })
      return []
    }
    seen.add(presentSpelling(raw))
    return readRecipient(raw, pointer, mode, faults)
  })
}

function readRecipient(raw: string, pointer: string, mode: Mode, faults: Fault[]): Recipient[] {
  const number = parsePhoneNumber(raw)
  if ('fault' in number) {
    const { fault: code, detail, suggestion } = number
    faults.push({ pointer, code, detail, ...(suggestion === null ? {} : { suggestion }) })
    return []
  }
  if (mode === 'live' ? isTestNumber(raw) : testAnswerTo(raw) === 'invalid_number') {
    const detail =
      mode === 'live'
        ? 'This number works only with test keys.'
        : 'Unknown number (simulated by this test number).'
    faults.push({ pointer, code: 'invalid_number', detail })
    return []
  }
  const { e164, ...known } = number
  return [{ to: e164, ...known, pointer }]
}

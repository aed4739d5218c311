import { estimateWaitSeconds, type StandingPace } from '../devices/status/device-status-wait.ts'
import type { Routing } from '../dispatch/devices/routing.ts'
import { suggestedSpelling } from '../numbers/number-changes.ts'
import type { Warning } from '../messages/send/send-request.ts'
import { countPartsIfGsm7, offendingCharacters } from '../sms/sms-text.ts'
import type { Mode, OnUnknown } from '../storage/tables/schema.ts'
import type { Recipient } from './send-recipients.ts'
import type { PricedText } from './send-text.ts'
import { isTestNumber } from '../numbers/test-number.ts'

/**
 * Added to the response if the balance is at or below its threshold after the send, which only the ledger
 * knows.
 */
export const lowBalanceWarning: Warning = {
  code: 'low_balance',
  message: 'The balance is at or below its warning threshold.',
}

export interface RemarkableSend {
  mode: Mode
  recipients: readonly Recipient[]
  priced: PricedText
  /** As requested; with `ucs2` the client expects it. */
  encoding: 'auto' | 'gsm7' | 'ucs2'
  validitySeconds: number
  onUnknown: OnUnknown
  wait: ExpectedWait | null
  /** Scheduled: the present state of the devices does not matter. */
  isScheduled: boolean
}

/**
 * Queued parts, including those of this send, and the rates at which they are sent; without a rate limit, the
 * time until a device fetches the first one.
 */
export type ExpectedWait = { parts: number; paces: readonly StandingPace[] } | { pickUpSeconds: number }

/** Returns the warnings of a send that is accepted anyway. */
export function findWarnings(send: RemarkableSend, routing: Routing, nowMs: number): Warning[] {
  const warnings: Warning[] = []
  if (send.priced.encoding === 'ucs2' && send.encoding === 'auto')
    warnings.push(unicodeEncoding(send.priced.text))
  if (send.priced.plainParts > send.priced.parts) warnings.push(shortened(send.priced))
  if (!routing.online && !send.isScheduled) {
    warnings.push({
      code: 'no_device_online',
      message: 'No device is online. The messages stay queued until one is, or until they expire.',
    })
  }
  // Test numbers are simulated; their numbering plan does not matter.
  const notMobile = send.recipients
    .filter(({ kind, to }) => kind === 'fixed' && !isTestNumber(to))
    .map(({ pointer }) => pointer)
  if (notMobile.length > 0) {
    const message = 'Some numbers are not known to be mobile and may not receive SMS.'
    warnings.push({ code: 'recipient_not_known_mobile', message, pointers: notMobile })
  }
  const overlong = longerThanPlan(send.recipients)
  if (overlong !== null) warnings.push(overlong)
  const former = formerSpelling(send.recipients)
  if (former !== null) warnings.push(former)
  if (send.wait !== null && !send.isScheduled) {
    const { wait } = send
    const waitSeconds =
      'paces' in wait ? estimateWaitSeconds(wait.parts, wait.paces, nowMs) : wait.pickUpSeconds
    if (waitSeconds === null || waitSeconds > send.validitySeconds)
      warnings.push(validityTooShort(waitSeconds))
  }
  if (routing.simulated && send.mode === 'live') {
    warnings.push({
      code: 'simulated',
      message: 'This account has a simulator: its messages may never reach a handset.',
    })
  }
  if (send.onUnknown === 'resend_once' && routing.phonesOnly) {
    warnings.push({
      code: 'resend_not_possible',
      message: 'Only phones can carry this send, and phones never send a message twice.',
    })
  }
  return warnings
}

function unicodeEncoding(text: string): Warning {
  const offending = offendingCharacters(text)
  const count = offending.length
  return {
    code: 'unicode_encoding',
    message: `${count} character${count === 1 ? ' is' : 's are'} outside the GSM alphabet.`,
    parts_if_gsm7: countPartsIfGsm7(text),
    offending,
  }
}

/** Numbers of machines can be longer, but so is a number with a digit too many. */
function longerThanPlan(recipients: readonly Recipient[]): Warning | null {
  const overlong = recipients.filter(({ isOverlong }) => isOverlong)
  if (overlong.length === 0) return null
  const message = 'Some numbers have more digits than any known number of their country, and may not exist.'
  return {
    code: 'recipient_longer_than_plan',
    message,
    pointers: overlong.map(({ pointer }) => pointer),
  }
}

/**
 * Networks accept such a number in both spellings, or only in one. A number that may be a fixed line gets
 * that warning.
 */
function formerSpelling(recipients: readonly Recipient[]): Warning | null {
  const former = recipients.filter(({ to }) => suggestedSpelling(to) !== to)
  return former.length === 0
    ? null
    : {
        code: 'recipient_former_spelling',
        message:
          'Some mobile numbers are in a former format of their country, and their messages may not arrive.',
        pointers: former.map(({ pointer }) => pointer),
        suggestions: former.map(({ to }) => suggestedSpelling(to)),
      }
}

const shortened = ({ parts, plainParts }: PricedText): Warning => ({
  code: 'shortened_by_smart_encoding',
  message: `Look-alike characters were replaced: ${parts} instead of ${plainParts} parts.`,
  parts_without: plainParts,
})

/** Null: longer than any validity period. */
const validityTooShort = (waitSeconds: number | null): Warning => ({
  code: 'validity_shorter_than_queue',
  message: `The messages may expire before they are submitted: at the speed of your devices, the last one is submitted ${waitSeconds === null ? 'after more than three days' : `within ${waitSeconds} s`}.`,
  estimated_wait_seconds: waitSeconds,
})

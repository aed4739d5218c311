import { estimateWaitSeconds, type StandingPace } from '../devices/status/device-status-wait.ts'
import type { Routing } from '../dispatch/devices/routing.ts'
import { suggestedSpelling } from '../numbers/number-changes.ts'
import type { Warning } from '../messages/send/send-request.ts'
import { countPartsIfGsm7, offendingCharacters } from '../sms/sms-text.ts'
import type { Mode, OnUnknown } from '../storage/tables/schema.ts'
import type { Recipient } from './send-recipients.ts'
import type { PricedText } from './send-text.ts'
import { isTestNumber } from '../numbers/test-number.ts'

/** Joins the answer when the balance is at or below its threshold afterwards, which only the ledger knows. */
export const lowBalanceWarning: Warning = {
  code: 'low_balance',
  message: 'The balance is at or below its warning threshold.',
}

export interface RemarkableSend {
  mode: Mode
  recipients: readonly Recipient[]
  priced: PricedText
  /** What was asked for; with `ucs2` the caller knows. */
  encoding: 'auto' | 'gsm7' | 'ucs2'
  validitySeconds: number
  onUnknown: OnUnknown
  wait: ExpectedWait | null
  /** For later: how devices stand now says nothing of then. */
  isScheduled: boolean
}

/** The parts that wait, those of this send among them, and the paces at which they go; without a pace the time until a device asks for the first. */
export type ExpectedWait = { parts: number; paces: readonly StandingPace[] } | { pickUpSeconds: number }

/** Everything worth knowing about a send that goes its way none the less. */
export function findWarnings(send: RemarkableSend, routing: Routing, nowMs: number): Warning[] {
  const warnings: Warning[] = []
  if (send.priced.encoding === 'ucs2' && send.encoding === 'auto')
    warnings.push(unicodeEncoding(send.priced.text))
  if (send.priced.plainParts > send.priced.parts) warnings.push(shortened(send.priced))
  if (!routing.online && !send.isScheduled) {
    warnings.push({
      code: 'no_device_online',
      message: 'No device is online; the messages wait for one until they expire.',
    })
  }
  // Test numbers play a network; what their numbering plan says of them means nothing.
  const notMobile = send.recipients
    .filter(({ kind, to }) => kind === 'fixed' && !isTestNumber(to))
    .map(({ pointer }) => pointer)
  if (notMobile.length > 0) {
    const message = 'Some numbers are not known to be mobile and may not take an SMS.'
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
      message: 'A simulator is attached to this account: the messages may never reach a handset.',
    })
  }
  if (send.onUnknown === 'resend_once' && routing.phonesOnly) {
    warnings.push({
      code: 'resend_not_possible',
      message: 'Only phones can carry this send, and a phone never sends a second time.',
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

/** Numbers of machines are so, and so is one with a digit too many. */
function longerThanPlan(recipients: readonly Recipient[]): Warning | null {
  const overlong = recipients.filter(({ isOverlong }) => isOverlong)
  if (overlong.length === 0) return null
  const message = 'Some numbers have more digits than any known one of their country, and may not exist.'
  return {
    code: 'recipient_longer_than_plan',
    message,
    pointers: overlong.map(({ pointer }) => pointer),
  }
}

/** Networks take such a number in both spellings, or in one of them. What may be a fixed line is warned of as that. */
function formerSpelling(recipients: readonly Recipient[]): Warning | null {
  const former = recipients.filter(({ to }) => suggestedSpelling(to) !== to)
  return former.length === 0
    ? null
    : {
        code: 'recipient_former_spelling',
        message:
          'Some mobile numbers are not written as their country writes them today, and may not arrive.',
        pointers: former.map(({ pointer }) => pointer),
        suggestions: former.map(({ to }) => suggestedSpelling(to)),
      }
}

const shortened = ({ parts, plainParts }: PricedText): Warning => ({
  code: 'shortened_by_smart_encoding',
  message: `Look-alike characters were replaced: ${parts} instead of ${plainParts} parts.`,
  parts_without: plainParts,
})

/** Null: longer than any message lives. */
const validityTooShort = (waitSeconds: number | null): Warning => ({
  code: 'validity_shorter_than_queue',
  message: `The messages may expire before a device takes them: as fast as your devices ask for messages and send them, the last can go in ${waitSeconds === null ? 'more than three days' : `up to ${waitSeconds} s`}.`,
  estimated_wait_seconds: waitSeconds,
})

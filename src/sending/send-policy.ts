import type { Caller } from '../accounts/keys/authenticator.ts'
import { type Fault, refuse } from '../runtime/errors.ts'
import type { Mode } from '../storage/tables/schema.ts'
import type { SendPorts } from './send-ports.ts'
import type { Recipient } from './send-recipients.ts'
import { isTestNumber } from '../numbers/test-number.ts'
import { type TestAnswer, testAnswerTo } from './test-answers.ts'

/** Refuses a send of which a recipient may not be written to: opted out, premium, or a destination that is not allowed. */
export async function checkPolicy(
  { optedOut }: Pick<SendPorts, 'optedOut'>,
  { accountId, mode, guard }: Pick<Caller, 'accountId' | 'mode' | 'guard'>,
  recipients: readonly Recipient[],
): Promise<void> {
  const stopped = await optedOut(
    accountId,
    mode,
    recipients.map((recipient) => recipient.to),
  )
  const errors = recipients.flatMap(
    (recipient) => policyFault(recipient, { mode, stopped, countries: guard.countries }) ?? [],
  )
  if (errors.length > 0) throw refuse('recipients_rejected', { errors })
}

function policyFault(
  { to, kind, country, pointer }: Recipient,
  {
    mode,
    stopped,
    countries,
  }: { mode: Mode; stopped: ReadonlySet<string>; countries: ReadonlySet<string> | null },
): Fault | null {
  const played = mode === 'test' ? testAnswerTo(to) : null
  if (played === 'destination_not_allowed') {
    return { pointer, code: 'destination_not_allowed', detail: 'This destination is not allowed.' }
  }
  // A number of no country, as of a satellite, is allowed where all are.
  if (countries !== null && played === null && !isTestNumber(to) && !countries.has(country ?? ''))
    return {
      pointer,
      code: 'destination_not_allowed',
      detail: `This account may not write to ${country === null ? 'numbers of no country' : country}; an operator can allow it.`,
    }
  if (stopped.has(to) || played === 'recipient_opted_out') {
    return { pointer, code: 'recipient_opted_out', detail: 'The recipient asked not to be written to.' }
  }
  return kind === 'premium'
    ? { pointer, code: 'premium_number', detail: 'Premium-rate numbers are not written to.' }
    : null
}

/** Test numbers that play a full queue or an empty wallet; the place of the real checks in the order is right after. */
export function checkPlayedLimits(mode: Mode, recipients: readonly Recipient[], requiredSms: number): void {
  if (mode !== 'test') return
  const played = new Set<TestAnswer | null>(recipients.map(({ to }) => testAnswerTo(to)))
  if (played.has('queue_full')) {
    throw refuse('queue_full', {
      detail: 'The answer that this test number asks for.',
      violated_policies: ['queue'],
      headers: { 'retry-after': '10' },
    })
  }
  if (played.has('insufficient_balance')) {
    const detail = 'The answer that this test number asks for.'
    throw refuse('insufficient_balance', { detail, required: requiredSms, available: 0 })
  }
}

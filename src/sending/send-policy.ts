import type { Caller } from '../accounts/keys/authenticator.ts'
import { type Fault, refuse } from '../runtime/errors.ts'
import type { Mode } from '../storage/tables/schema.ts'
import { viaDevice, type Way } from '../devices/routes/way.ts'
import type { Routing } from '../dispatch/devices/routing.ts'
import { type ChosenWay, namedBy } from './choose-ways.ts'
import type { SendPorts } from './send-ports.ts'
import type { Recipient } from './send-recipients.ts'
import { isTestNumber } from '../numbers/test-number.ts'
import { type TestAnswer, testAnswerTo } from './test-answers.ts'

/** Rejects a send with a recipient that is not allowed: opted out, premium, or in a blocked country. */
export async function checkPolicy(
  { optedOut, routing }: Pick<SendPorts, 'optedOut' | 'routing'>,
  { accountId, mode, recipientLimits }: Pick<Caller, 'accountId' | 'mode' | 'recipientLimits'>,
  { recipients, choices }: { recipients: readonly Recipient[]; choices: readonly ChosenWay[] },
): Promise<void> {
  const stopped = await optedOut(
    accountId,
    mode,
    recipients.map((recipient) => recipient.to),
  )
  const errors = recipients.flatMap(
    (recipient, i) =>
      policyFault(recipient, { mode, stopped, countries: recipientLimits.countries }) ??
      routeFault(recipient, choices[i], (way) =>
        routing.forAccount(accountId, mode, null, false, 'all', way),
      ) ??
      [],
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
  const simulated = mode === 'test' ? testAnswerTo(to) : null
  if (simulated === 'destination_not_allowed') {
    return { pointer, code: 'destination_not_allowed', detail: 'This destination is not allowed.' }
  }
  // A number without a country, such as a satellite phone, is allowed only if all countries are.
  if (countries !== null && simulated === null && !isTestNumber(to) && !countries.has(country ?? ''))
    return {
      pointer,
      code: 'destination_not_allowed',
      detail: `This account is not allowed to send to ${country === null ? 'numbers without a country' : country}. An operator can allow it.`,
    }
  if (stopped.has(to) || simulated === 'recipient_opted_out') {
    return { pointer, code: 'recipient_opted_out', detail: 'The recipient opted out.' }
  }
  return kind === 'premium'
    ? { pointer, code: 'premium_number', detail: 'Premium-rate numbers are blocked.' }
    : null
}

/** What a rule refuses, and numbers to which no device sends that may carry the message. */
function routeFault(
  { pointer }: Recipient,
  choice: ChosenWay | undefined,
  routingOf: (way: Way | undefined) => Routing,
): Fault | null {
  const code = 'destination_not_allowed'
  if (choice?.isRefused === true)
    return { pointer, code, detail: 'A rule of the routes refuses messages to this number.' }
  if (choice === undefined || choice.not.length === 0) return null
  const isExcluded =
    choice.via === null ? !routingOf(namedBy(choice)).enabled : choice.not.includes(viaDevice(choice.via))
  return isExcluded
    ? { pointer, code, detail: 'No device that may carry this message sends to this number.' }
    : null
}

/** Simulates a full queue or an empty balance for test numbers, right before the real checks. */
export function checkSimulatedLimits(
  mode: Mode,
  recipients: readonly Recipient[],
  requiredSms: number,
): void {
  if (mode !== 'test') return
  const simulated = new Set<TestAnswer | null>(recipients.map(({ to }) => testAnswerTo(to)))
  if (simulated.has('queue_full')) {
    throw refuse('queue_full', {
      detail: 'Simulated by this test number.',
      violated_policies: ['queue'],
      headers: { 'retry-after': '10' },
    })
  }
  if (simulated.has('insufficient_balance')) {
    const detail = 'Simulated by this test number.'
    throw refuse('insufficient_balance', { detail, required: requiredSms, available: 0 })
  }
}

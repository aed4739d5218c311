import type { Outcome, Submission } from '../../connector.ts'
import type { Answered } from './read-answer.ts'

/**
 * Returns the outcome of a submission by its answer. A fault of the account is none of the message: it is unavailable here.
 * An acceptance without an ID is known by its attempt, which its receipts name.
 */
export function outcomeOf(answered: Answered, submission: Submission, deliveryReports: boolean): Outcome {
  switch (answered.kind) {
    case 'accepted':
      return {
        kind: 'accepted',
        networkIds: answered.ids.length === 0 ? [submission.attemptId] : unique(answered.ids),
        receiptExpected: deliveryReports,
      }
    case 'partial': {
      const { ids, taken, code, networkCode } = answered
      const partsTaken = Math.min(taken, submission.parts)
      return {
        kind: 'partial',
        networkIds: unique(ids),
        partsTaken,
        receiptExpected: deliveryReports,
        code,
        networkCode,
      }
    }
    case 'unknown':
      return {
        kind: 'unknown',
        networkIds: unique(answered.ids),
        partsTaken: Math.min(answered.ids.length, submission.parts),
        detail: 'The provider answered without saying whether it accepted the message.',
        answered: { networkCode: answered.networkCode },
      }
    case 'refused':
      return refusedOutcome(answered)
  }
}

function refusedOutcome(answered: Extract<Answered, { kind: 'refused' }>): Outcome {
  const { networkCode } = answered
  if (answered.means === 'device')
    return {
      kind: 'unavailable',
      detail: `${answered.reason}: the provider answered ${networkCode ?? 'nothing'}.`,
    }
  const { means: lasts, code } = answered
  return {
    kind: 'refused',
    lasts,
    code,
    networkCode,
    ...(code === 'unreachable' && { mayBeRecipient: true as const }),
  }
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)]

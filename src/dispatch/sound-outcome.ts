import type { Outcome } from '../connectors/connector.ts'

/** What stands for an outcome that cannot be understood or stored: nobody knows what became of the hand-over. */
export const notTold: Outcome = {
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'The connector told an outcome that makes no sense.',
}

/**
 * Whether what a connector answered is an outcome at all, whatever its types say: what is not must neither end the process nor keep the
 * room on the device.
 */
export function isSound(answer: unknown): answer is Outcome {
  if (typeof answer !== 'object' || answer === null) return false
  const { kind, networkIds, partsTaken, receiptExpected, lasts, code, networkCode, detail } =
    answer as Readonly<Record<string, unknown>>
  const hasIds = Array.isArray(networkIds) && networkIds.every((id) => typeof id === 'string')
  const hasParts = Number.isInteger(partsTaken) && (partsTaken as number) >= 0
  const hasReason = typeof code === 'string' && (networkCode === null || typeof networkCode === 'string')
  switch (kind) {
    case 'accepted':
      return hasIds && typeof receiptExpected === 'boolean'
    case 'refused':
      return hasReason && /^(good|now|busy|expired)$/.test(String(lasts))
    case 'partial':
      return hasReason && hasIds && hasParts && typeof receiptExpected === 'boolean'
    case 'unavailable':
      return typeof detail === 'string'
    case 'unknown':
      return hasIds && hasParts && typeof detail === 'string'
    default:
      return false
  }
}

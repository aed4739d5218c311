import type { Outcome } from '../../connectors/connector.ts'

/** Replaces an outcome that cannot be understood or stored: the outcome of the submission is unknown. */
export const invalidOutcome: Outcome = {
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'The connector returned an invalid outcome.',
}

/**
 * Returns whether a connector's result is an outcome at all, regardless of its types: one that is not must
 * neither end the process nor keep the room on the device.
 */
export function isValidOutcome(answer: unknown): answer is Outcome {
  if (typeof answer !== 'object' || answer === null) return false
  const {
    kind,
    networkIds,
    partsTaken,
    receiptExpected,
    lasts,
    code,
    networkCode,
    detail,
    unknownParts,
    answered,
    sentAt,
  } = answer as Readonly<Record<string, unknown>>
  const hasIds = Array.isArray(networkIds) && networkIds.every((id) => typeof id === 'string')
  const hasParts = Number.isInteger(partsTaken) && (partsTaken as number) >= 0
  const hasReason = typeof code === 'string' && isRaw(networkCode)
  switch (kind) {
    case 'accepted':
      return (
        hasIds &&
        typeof receiptExpected === 'boolean' &&
        (sentAt === undefined || Number.isSafeInteger(sentAt))
      )
    case 'refused':
      return hasReason && /^(good|now|busy|expired)$/.test(String(lasts))
    case 'partial':
      return hasReason && hasIds && hasParts && typeof receiptExpected === 'boolean'
    case 'unavailable':
      return typeof detail === 'string'
    case 'unknown':
      return (
        hasIds &&
        hasParts &&
        typeof detail === 'string' &&
        (unknownParts === undefined || isUnknownParts(unknownParts)) &&
        (answered === undefined || isAnswer(answered))
      )
    default:
      return false
  }
}

/** A value of the network as received, if it has one. */
const isRaw = (value: unknown): boolean => value === null || typeof value === 'string'
const isAnswer = (value: unknown): boolean =>
  isRaw(((value ?? {}) as Readonly<Record<string, unknown>>)['networkCode'])

/** Maximum parts of a message: more is nonsense, and each would be stored on its own. */
const maxParts = 255
const isPart = (part: unknown): boolean =>
  Number.isInteger(part) && (part as number) >= 0 && (part as number) < maxParts

function isUnknownParts(value: unknown): boolean {
  const { parts, wireParts } = (value ?? {}) as Readonly<Record<string, unknown>>
  return (
    Array.isArray(parts) && parts.length <= maxParts && parts.every(isPart) && Number.isInteger(wireParts)
  )
}

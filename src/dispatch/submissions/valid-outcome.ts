import type { Outcome } from '../../connectors/connector.ts'

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
  const {
    kind,
    networkIds,
    partsTaken,
    receiptExpected,
    lasts,
    code,
    networkCode,
    detail,
    inDoubt,
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
        (inDoubt === undefined || isDoubt(inDoubt)) &&
        (answered === undefined || isAnswer(answered))
      )
    default:
      return false
  }
}

/** A value of the network as it came, where it has one. */
const isRaw = (value: unknown): boolean => value === null || typeof value === 'string'
const isAnswer = (told: unknown): boolean =>
  isRaw(((told ?? {}) as Readonly<Record<string, unknown>>)['networkCode'])

/** As many parts as a message can have at the most: more is nonsense, and would be written down one by one. */
const maxParts = 255
const isPart = (part: unknown): boolean =>
  Number.isInteger(part) && (part as number) >= 0 && (part as number) < maxParts

function isDoubt(told: unknown): boolean {
  const { parts, wireParts } = (told ?? {}) as Readonly<Record<string, unknown>>
  return (
    Array.isArray(parts) && parts.length <= maxParts && parts.every(isPart) && Number.isInteger(wireParts)
  )
}

import type { HandOver } from '../connectors/connector.ts'
import type { Claimed } from '../messages/claim-messages.ts'

/** What a connector is told of a claimed message. The validity is what is left of it, at least one second. */
export function handOverOf(claimed: Claimed, nowMs: number): HandOver {
  const { attemptId, to, from, text, encoding, parts, category, expiresAt } = claimed
  const validitySeconds = Math.max(1, Math.floor((expiresAt - nowMs) / 1000))
  return { attemptId, to, from, text, encoding, parts, category, validitySeconds }
}

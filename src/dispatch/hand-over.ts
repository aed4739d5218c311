import type { HandOver } from '../connectors/connector.ts'
import type { Claimed } from '../messages/claim-messages.ts'

/** What a connector is told of a claimed message. The validity is what is left of it, at least one second. */
export function handOverOf(claimed: Claimed, nowMs: number): HandOver {
  const { message } = claimed
  return {
    attemptId: claimed.attemptId,
    to: message.recipient,
    from: message.sender,
    text: claimed.text,
    encoding: claimed.encoding,
    parts: message.parts,
    category: message.category,
    validitySeconds: Math.max(1, Math.floor(((message.expires_at ?? nowMs) - nowMs) / 1000)),
  }
}

import { refuse } from '../../runtime/errors.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { routeKeyOf } from '../core/message-store.ts'
import type { SendRequest, SendResult } from './send-request.ts'

export interface AcceptorDeps {
  /** Runs `sendMessages` in the next transaction, together with whatever else waits. */
  sendMessages: (requests: readonly SendRequest[]) => Promise<SendResult[]>
  maxPendingSends: number
  /** Called after the commit for each route on which something now waits. */
  wake: (route: { account_id: string; mode: Mode; route_key: string }) => void
  accepted: (messages: number, parts: number) => void
}

/**
 * Gives the function that accepts one send and settles after its flush (P1). Refuses with `unavailable` when more wait than may: that
 * bounds the memory when the disk is slow.
 */
export function createAcceptor(deps: AcceptorDeps): (request: SendRequest) => Promise<SendResult> {
  let pending = 0
  return async (request) => {
    if (pending >= deps.maxPendingSends) throw refuse('unavailable', { headers: { 'retry-after': '1' } })
    pending += 1
    try {
      const [result] = await deps.sendMessages([request])
      if (result?.kind === 'accepted') announce(deps, request)
      return result as SendResult
    } finally {
      pending -= 1
    }
  }
}

function announce(
  { accepted, wake }: AcceptorDeps,
  { recipients, parts, accountId, mode, from, encodingForced, sendAt }: SendRequest,
): void {
  accepted(recipients.length, recipients.length * parts)
  // What is scheduled is found when its time comes.
  if (sendAt === undefined)
    wake({ account_id: accountId, mode, route_key: routeKeyOf(mode, from, encodingForced) })
}

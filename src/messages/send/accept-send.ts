import { refuse } from '../../runtime/errors.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { routeOfRecipient } from './route-of-recipient.ts'
import type { SendRequest, SendResult } from './send-request.ts'

export interface AcceptorDeps {
  /** Runs `sendMessages` in the next transaction, together with all other waiting units. */
  run: (requests: readonly SendRequest[]) => Promise<SendResult[]>
  maxPendingSends: number
  /** Called after the commit for each route with newly queued messages. */
  wake: (route: { account_id: string; mode: Mode; route_key: string }) => void
  accepted: (messages: number, parts: number) => void
}

/**
 * Creates the function that accepts one send and resolves after its flush (P1). It rejects with `unavailable`
 * above the maximum of pending sends, which bounds memory when the disk is slow.
 */
export function createAcceptor(deps: AcceptorDeps): (request: SendRequest) => Promise<SendResult> {
  let pending = 0
  return async (request) => {
    if (pending >= deps.maxPendingSends) throw refuse('unavailable', { headers: { 'retry-after': '1' } })
    pending += 1
    try {
      const [result] = await deps.run([withoutUnstoredWords(request)])
      if (result?.kind === 'accepted') announce(deps, request)
      return result as SendResult
    } finally {
      pending -= 1
    }
  }
}

/** Its warnings are stored under a key alone, for repeats: without one they need not cross to the thread of the database. */
function withoutUnstoredWords(request: SendRequest): SendRequest {
  if (request.idempotency !== null) return request
  const { lowBalanceWarning: _, ...rest } = request
  return { ...rest, warnings: [] }
}

function announce({ accepted, wake }: AcceptorDeps, send: SendRequest): void {
  const { recipients, parts, accountId, mode, sendAt } = send
  accepted(recipients.length, recipients.length * parts)
  // A scheduled message is found when it is due.
  if (sendAt !== undefined) return
  for (const route_key of new Set(recipients.map((recipient) => routeOfRecipient(send, recipient))))
    wake({ account_id: accountId, mode, route_key })
}

import { Batcher } from '../batcher.ts'
import { refuse } from '../errors.ts'
import { StorageError } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { routeKeyOf } from './message-store.ts'
import type { SendRequest, SendResult } from './send-request.ts'

export interface AcceptorDeps {
  /** Runs `sendMessages` on a batch in the next transaction. */
  sendMessages: (requests: readonly SendRequest[]) => Promise<SendResult[]>
  /** Messages that share one transaction, give or take one send. */
  maxBatchMessages: number
  maxPendingSends: number
  /** Called after the commit for each route on which something now waits. */
  wake: (route: { account_id: string; mode: Mode; route_key: string }) => void
  accepted: (messages: number, parts: number) => void
}

/**
 * Gives the function that accepts one send: it joins the batch that is being collected and settles after its flush (P1). Refuses with
 * `unavailable` when more wait than may.
 */
export function createAcceptor(deps: AcceptorDeps): (request: SendRequest) => Promise<SendResult> {
  const batcher = new Batcher((requests: SendRequest[]) => acceptBatch(deps.sendMessages, requests), {
    maxWeight: deps.maxBatchMessages,
    weigh: (request) => request.recipients.length,
  })
  return async (request) => {
    if (batcher.waiting >= deps.maxPendingSends)
      throw refuse('unavailable', { headers: { 'retry-after': '1' } })
    const result = await batcher.add(request)
    if (result instanceof Error) throw result
    if (result.kind === 'accepted') {
      deps.accepted(request.recipients.length, request.recipients.length * request.parts)
      deps.wake({
        account_id: request.accountId,
        mode: request.mode,
        route_key: routeKeyOf(request.mode, request.from),
      })
    }
    return result
  }
}

/** One send that the database will not take must not fail its neighbours: then each is tried alone. */
async function acceptBatch(
  sendMessages: AcceptorDeps['sendMessages'],
  requests: readonly SendRequest[],
): Promise<(SendResult | Error)[]> {
  try {
    return await sendMessages(requests)
  } catch (error) {
    if (requests.length === 1 || !(error instanceof StorageError && error.fault === 'constraint')) throw error
    const alone = await Promise.allSettled(requests.map((request) => sendMessages([request])))
    return alone.map((result) =>
      result.status === 'fulfilled' ? (result.value[0] as SendResult) : (result.reason as Error),
    )
  }
}

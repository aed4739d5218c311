import { routeOfRecipient } from './route-of-recipient.ts'
import type { SendRequest } from './send-request.ts'

type Queued = Parameters<typeof routeOfRecipient>[0] &
  Pick<SendRequest, 'accountId' | 'parts' | 'expiresAt' | 'recipients'>

/** Returns what accepted sends add to the totals of their routes: one row for each route of the batch. */
export function queueTotalRows(sends: readonly Queued[]) {
  const rows = new Map<string, ReturnType<typeof queueTotalRowsOf>[number]>()
  for (const row of sends.flatMap(queueTotalRowsOf)) {
    const name = `${row.account_id}/${row.route_key}`
    const sum = rows.get(name)
    if (sum === undefined) rows.set(name, row)
    else {
      sum.messages += row.messages
      sum.parts += row.parts
      sum.next_expiry_at = Math.min(sum.next_expiry_at, row.next_expiry_at)
    }
  }
  return [...rows.values()]
}

/** One row for each route of a send: most have one. */
function queueTotalRowsOf(send: Queued) {
  const { accountId: account_id, mode, parts, expiresAt: next_expiry_at } = send
  const counts = new Map<string, number>()
  for (const recipient of send.recipients) {
    const routeKey = routeOfRecipient(send, recipient)
    counts.set(routeKey, (counts.get(routeKey) ?? 0) + 1)
  }
  return [...counts].map(([route_key, messages]) => ({
    account_id,
    mode,
    route_key,
    messages,
    parts: messages * parts,
    next_expiry_at,
  }))
}

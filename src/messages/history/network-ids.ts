import type { Db } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { HistoryOwner } from './history-query.ts'

const idsOf = {
  sql: `select message_id, network_ids from attempts
        where account_id = :account and mode = :mode and message_id = :message and network_ids is not null order by number`,
  inputs: ['account', 'mode', 'message'],
} as const

/**
 * Reads the network's IDs of the parts of these messages, by message ID, first attempt first. Messages
 * without any are omitted.
 */
export async function readNetworkIds(
  db: Db,
  { accountId, mode }: HistoryOwner,
  messageIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await selectEach<{ message_id: string; network_ids: string }>(
    db,
    idsOf,
    messageIds.map((id) => [accountId, mode, id]),
  )
  const found = new Map<string, string[]>()
  for (const { message_id, network_ids } of rows)
    found.set(message_id, [...(found.get(message_id) ?? []), ...(JSON.parse(network_ids) as string[])])
  return found
}

import type { Tx } from '../../storage/seam/dialect.ts'
import { deleteRows, selectEach } from '../../storage/seam/sets.ts'
import { beginOf } from './unknown-parts.ts'
import type { Raised } from './raise-attempt.ts'

const placesOf = {
  sql: `select r.network_id, r.device_id from receipts_expected r where r.network_id > :begin and r.network_id < :behind and r.device_id = :device`,
  inputs: ['begin', 'behind', 'device'],
} as const

/** Removes the places of parts of unknown outcome once their attempt is answered. */
export async function forgetUnknownParts(
  tx: Tx,
  answered: readonly Raised[],
  messages: ReadonlyMap<string, { recipient: string }>,
): Promise<void> {
  const ranges = answered.flatMap(({ settlement: { messageId, deviceId, attemptId } }) => {
    const recipient = messages.get(messageId)?.recipient
    const begin = `${beginOf((recipient ?? '').slice(-7))}${attemptId}`
    return recipient === undefined ? [] : [[`${begin}/`, `${begin}0`, deviceId]]
  })
  const places = await selectEach<{ network_id: string; device_id: string }>(tx, placesOf, ranges)
  await deleteRows(tx, 'receipts_expected', ['network_id', 'device_id'], places)
}

import { findByNetworkId } from '../../devices/canaries/canary-runs.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { readMembers } from './group-members.ts'
import { readingsOf, type ReceiptWord, tellingEnds } from './receipt-readings.ts'

/**
 * Returns the receipts that are not about a canary: nothing waits for those. Another device of the group may report one; IDs
 * are unique only for each host of a carrier, so that there the recipient's number decides.
 */
export async function withoutCanaries(tx: Tx, words: readonly ReceiptWord[]): Promise<ReceiptWord[]> {
  const group = await readMembers(tx, words)
  const namesOf = (word: ReceiptWord) =>
    group.of(word).flatMap((device) => readingsOf(word).map((id) => [device, id] as const))
  const runs = await findByNetworkId(tx, words.flatMap(namesOf))
  if (runs.length === 0) return [...words]
  return words.filter((word) => {
    const devices = group.of(word)
    const readings = readingsOf(word)
    const ends = tellingEnds(word)
    return !runs.some(
      ({ from_device, network_id, recipient }) =>
        devices.includes(from_device) &&
        readings.includes(network_id) &&
        (from_device === word.deviceId || ends.some((end) => recipient.endsWith(end))),
    )
  })
}

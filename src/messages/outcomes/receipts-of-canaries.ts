import { findByNetworkId, findRunsWithoutId } from '../../devices/canaries/canary-runs.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { type GroupMembers, readMembers } from './group-members.ts'
import { readingsOf, type ReceiptWord, tellingEnds } from './receipt-readings.ts'

/**
 * Returns the receipts that are not about a canary: nothing waits for those. Another device of the group may report one. IDs
 * are unique only for each host of a carrier, and networks reuse them: the recipient's number decides, where the receipt has one.
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
        (ends.length > 0 ? ends.some((end) => recipient.endsWith(end)) : from_device === word.deviceId),
    )
  })
}

/** Returns of these receipts those that cannot be about a canary of which no ID is known; the number decides. */
export async function withoutDoubtedCanaries<T extends { heard: ReceiptWord }>(
  tx: Tx,
  found: readonly T[],
  group: GroupMembers,
): Promise<readonly T[]> {
  if (found.length === 0) return found
  const runs = await findRunsWithoutId(
    tx,
    found.flatMap(({ heard }) => group.of(heard).map((deviceId) => ({ deviceId, atMs: heard.atMs }))),
  )
  return found.filter(({ heard }) => {
    const devices = group.of(heard)
    return !runs.some(
      ({ from_device, recipient }) =>
        devices.includes(from_device) && tellingEnds(heard).some((end) => recipient.endsWith(end)),
    )
  })
}

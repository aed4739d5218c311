import { findByNetworkId, findRecipients, type NetworkRun } from '../../devices/canaries/canary-runs.ts'
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
      (run) =>
        devices.includes(run.from_device) && readings.includes(run.network_id) && isMeant(run, word, ends),
    )
  })
}

/** By its numbers; some networks report to the own device with none, or with the sender's alone. */
function isMeant(run: NetworkRun, word: ReceiptWord, ends: readonly string[]): boolean {
  if (ends.some((end) => run.recipient.endsWith(end))) return true
  if (run.from_device !== word.deviceId) return false
  const senders = tellingEnds({ numbers: run.senders })
  return ends.length === 0 || (word.isOneSided === true && ends.some((end) => senders.includes(end)))
}

/** Returns of these receipts those that cannot be about a canary: none was sent to such a number of late. */
export async function withoutLikelyCanaries<T extends { heard: ReceiptWord }>(
  tx: Tx,
  found: readonly T[],
  group: GroupMembers,
): Promise<readonly T[]> {
  if (found.length === 0) return found
  const devices = new Set(found.flatMap(({ heard }) => group.of(heard)))
  const earliestMs = Math.min(...found.map(({ heard }) => heard.atMs))
  const canaries = await findRecipients(tx, [...devices], earliestMs)
  if (canaries.length === 0) return found
  return found.filter(({ heard }) => {
    const [members, ends] = [group.of(heard), tellingEnds(heard)]
    return !canaries.some(
      ({ from_device, recipient }) =>
        members.includes(from_device) && ends.some((end) => recipient.endsWith(end)),
    )
  })
}

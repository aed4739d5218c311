import type { Counted } from '../../runtime/shared-counts.ts'

/**
 * Packs counts, in their order, into as few broadcasts as hold them by the octets of their JSON. A count that
 * is longer than a broadcast gets one of its own.
 */
export function* packCounts(counts: readonly Counted[], maxOctets: number): Generator<Counted[]> {
  let batch: Counted[] = []
  let octets = 0
  for (const count of counts) {
    // A comma follows each but the last.
    const more = Buffer.byteLength(JSON.stringify(count)) + 1
    if (batch.length > 0 && octets + more > maxOctets) {
      yield batch
      batch = []
      octets = 0
    }
    batch.push(count)
    octets += more
  }
  if (batch.length > 0) yield batch
}

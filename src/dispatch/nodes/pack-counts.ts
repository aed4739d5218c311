import type { Counted } from '../../runtime/shared-counts.ts'

/**
 * Puts counts, in their order, into as few words as hold them by the octets of their JSON. One that is longer than a word for itself is in a
 * word of its own.
 */
export function* packCounts(counts: readonly Counted[], maxOctets: number): Generator<Counted[]> {
  let word: Counted[] = []
  let octets = 0
  for (const count of counts) {
    // A comma follows each but the last.
    const more = Buffer.byteLength(JSON.stringify(count)) + 1
    if (word.length > 0 && octets + more > maxOctets) {
      yield word
      word = []
      octets = 0
    }
    word.push(count)
    octets += more
  }
  if (word.length > 0) yield word
}

/**
 * The number under which a part of an attempt goes out, from 1 to 65535: what a network sends back with it tells which part it means when
 * nobody knows the network's id. A function of both alone, so that it is known after a restart without being stored. Of two parts to one
 * recipient 1 in 65,535 pairs share one.
 */
export function referenceOfPart(attemptId: string, part: number): number {
  // FNV-1a, 32 bits, as its authors give it; folded, because ids of one moment differ in few letters.
  let hash = 0x811c9dc5
  for (let i = 0; i < attemptId.length; i++) hash = Math.imul(hash ^ attemptId.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ part, 0x01000193)
  return 1 + ((((hash >>> 16) ^ hash) & 0xffff) % 65_535)
}

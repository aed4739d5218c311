/**
 * Returns the reference under which a part of an attempt is submitted, from 1 to 65535. If a network returns
 * it, it identifies the part while the network's ID is unknown. It is a pure function of both arguments, so
 * that it is known after a restart without being stored. Of the pairs of parts to one recipient, 1 in 65,535
 * share a reference.
 */
export function referenceOfPart(attemptId: string, part: number): number {
  // FNV-1a, 32 bits, as published; folded, because IDs of the same moment differ in few letters.
  let hash = 0x811c9dc5
  for (let i = 0; i < attemptId.length; i++) hash = Math.imul(hash ^ attemptId.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ part, 0x01000193)
  return 1 + ((((hash >>> 16) ^ hash) & 0xffff) % 65_535)
}

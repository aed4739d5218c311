import { pick, type Random, type Span } from '../seeded-random.ts'

/** What is done to the bytes of one direction. Places are counted in bytes, so that they do not depend on how TCP cuts. */
export interface MangleFaults {
  /** Random bytes are put in after so many of the stream; null is never. */
  garbageEvery: Span | null
  garbageBytes: Span
  /** One bit is turned over in the byte after so many; null is never. */
  flipEvery: Span | null
}

/** Gives the bytes that go on in place of these. The same stream and the same seed give the same, however it is cut. */
export function createMangler(random: Random): (bytes: Buffer, faults: MangleFaults) => Buffer {
  let untilGarbage = -1
  let untilFlip = -1
  return (bytes, { garbageEvery, garbageBytes, flipEvery }) => {
    if (garbageEvery === null && flipEvery === null) return bytes
    const pieces: Buffer[] = []
    for (const byte of bytes) {
      if (garbageEvery !== null && untilGarbage < 0) untilGarbage = pick(random, garbageEvery)
      if (flipEvery !== null && untilFlip < 0) untilFlip = pick(random, flipEvery)
      const isFlipped = flipEvery !== null && untilFlip === 0
      pieces.push(Buffer.from([isFlipped ? byte ^ (1 << pick(random, [0, 7])) : byte]))
      untilFlip = flipEvery === null || isFlipped ? -1 : untilFlip - 1
      if (garbageEvery === null) untilGarbage = -1
      else {
        untilGarbage -= 1
        if (untilGarbage <= 0) {
          pieces.push(randomBytes(random, pick(random, garbageBytes)))
          untilGarbage = -1
        }
      }
    }
    return Buffer.concat(pieces)
  }
}

const randomBytes = (random: Random, count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)))

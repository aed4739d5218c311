/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A fixed number, or any whole number from the first to the second. */
export type Span = number | readonly [least: number, most: number]

export const pick = (random: Random, span: Span): number =>
  typeof span === 'number' ? span : span[0] + Math.floor(random() * (span[1] - span[0] + 1))

import fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogates = 0x800

/**
 * Any code point but the surrogates, as a `unit` of `fc.string`. It gives what the built-in `unit: 'binary'` gives, which takes 0.9 s of processor
 * in each file for a table of all 1,112,064 of them.
 */
export const scalarValue: fc.Arbitrary<string> = fc.nat(0x10ffff - surrogates).map(
  (place) => String.fromCodePoint(place < firstSurrogate ? place : place + surrogates),
  (text) => placeOf(String(text)),
)

/** The way back, by which fast-check puts words such as `__proto__` into strings. Throws for what is no such character. */
function placeOf(text: string): number {
  const codePoint = text.codePointAt(0)
  if (codePoint === undefined || text !== String.fromCodePoint(codePoint) || !text.isWellFormed())
    throw new RangeError('not one scalar value')
  return codePoint < firstSurrogate ? codePoint : codePoint - surrogates
}

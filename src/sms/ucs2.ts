/** Finds the points at which texts in UCS-2 (UTF-16, as every network accepts it) can be split. */

const joinedPartUtf16 = 67

/** Encodes a text as UTF-16BE, which networks accept as UCS-2. */
export const encodeUcs2 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

/**
 * Returns the ends of the parts of a joined UCS-2 message: as late as `room` units (at least 2) allow, but
 * not inside a grapheme cluster. A cluster longer than a part is split between code points, as if each were a
 * cluster. Only the text around a split is segmented, from a known boundary on: what follows never changes
 * the boundaries before it.
 */
export function findUcs2PartEnds(text: string, room = joinedPartUtf16): number[] {
  const ends: number[] = []
  let start = 0
  let oversizeEnd = 0
  while (text.length - start > room) {
    let end = start + room
    if (end > oversizeEnd && !isPlainBoundary(text, end)) {
      const boundary = findClusterStart(text, Math.max(start, oversizeEnd), end)
      if (boundary < end && measureCluster(text, boundary, room) > room) {
        oversizeEnd = boundary + measureCluster(text, boundary, Infinity)
      } else end = boundary
    }
    if (end < oversizeEnd && startsPair(text, end - 1)) end--
    ends.push(end)
    start = end
  }
  ends.push(text.length)
  return ends
}

/** Returns whether the two units from `index` are a surrogate pair. */
export function startsPair(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
}

// Grapheme clusters do not depend on the locale.
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Returns the start of the cluster that contains the unit at `index`, if a cluster starts at `from`. */
function findClusterStart(text: string, from: number, index: number): number {
  const surroundings = graphemes.segment(text.slice(from, index + 2))
  return from + (surroundings.containing(index - from)?.index ?? 0)
}

/**
 * Returns the length of the cluster that starts at `from`; any value above `enough` if it is longer than
 * that.
 */
function measureCluster(text: string, from: number, enough: number): number {
  for (let window = joinedPartUtf16 + 2; ; window *= 2) {
    const length = graphemes.segment(text.slice(from, from + window)).containing(0)?.segment.length ?? 0
    if (length > enough || length + 2 <= window || from + window >= text.length) return length
  }
}

// The characters of most texts. NFC leaves each unchanged next to any other plain one, and there is a cluster
// boundary between any two. Excluded on purpose: CR, ©, ®, soft hyphen, marks, jamo, Indic letters.
const plainRanges = [
  [0x0a, 0x0a],
  [0x20, 0x7e],
  [0xaf, 0x2ff], // Latin
  [0x388, 0x3ff], // Greek
  [0x400, 0x481], // Cyrillic
  [0x48a, 0x52f],
  [0x5d0, 0x5ea], // Hebrew
  [0x620, 0x64a], // Arabic
  [0x2010, 0x2027], // dashes, quotation marks
  [0x20a0, 0x20bf], // currencies
  [0x3001, 0x3029], // Chinese and Japanese
  [0x3041, 0x3096],
  [0x30a1, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3], // Hangul syllables
  [0xff01, 0xff60],
] as const

const plainUnits = new Uint8Array(0x10000)
for (const [first, last] of plainRanges) plainUnits.fill(1, first, last + 1)

/** Returns whether a text consists only of plain characters; such a text is in NFC. */
export function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (plainUnits[text.charCodeAt(index)] === 0) return false
  return true
}

function isPlainBoundary(text: string, index: number): boolean {
  return plainUnits[text.charCodeAt(index - 1)] === 1 && plainUnits[text.charCodeAt(index)] === 1
}

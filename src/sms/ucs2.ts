/** Where texts in UCS-2 (UTF-16, as every network takes it) may be cut. */

const joinedPartUtf16 = 67

/**
 * Where the parts of a joined UCS-2 message end: as late as `room` units (at least 2) allow, but not inside a grapheme cluster.
 * A cluster longer than a part is cut between code points, as if each were a cluster. Only the surroundings of
 * a cut are segmented, from a place known to be a boundary: what follows never changes the boundaries before it.
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

/** Whether the two units from `index` are a surrogate pair. */
export function startsPair(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
}

// The locale does not matter for grapheme clusters.
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The start of the cluster that holds the unit at `index`, given that a cluster starts at `from`. */
function findClusterStart(text: string, from: number, index: number): number {
  const surroundings = graphemes.segment(text.slice(from, index + 2))
  return from + (surroundings.containing(index - from)?.index ?? 0)
}

/** The length of the cluster that starts at `from`; anything above `enough` if it is longer than that. */
function measureCluster(text: string, from: number, enough: number): number {
  for (let window = joinedPartUtf16 + 2; ; window *= 2) {
    const length = graphemes.segment(text.slice(from, from + window)).containing(0)?.segment.length ?? 0
    if (length > enough || length + 2 <= window || from + window >= text.length) return length
  }
}

// Characters of which the common texts consist: each is unchanged by NFC whatever plain one stands beside it, and
// there is a cluster boundary between any two. Left out on purpose: CR, ©, ®, soft hyphen, marks, jamo, Indic letters.
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

/** Whether a text consists of plain characters only; such a text is in NFC. */
export function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (plainUnits[text.charCodeAt(index)] === 0) return false
  return true
}

function isPlainBoundary(text: string, index: number): boolean {
  return plainUnits[text.charCodeAt(index - 1)] === 1 && plainUnits[text.charCodeAt(index)] === 1
}

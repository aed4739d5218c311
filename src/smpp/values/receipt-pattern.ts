import type { ReceiptText } from './receipt-text.ts'

/** What a pattern can find in the text of a receipt; `*` is what nobody looks at. */
const fields = ['id', 'stat', 'err', 'submitted', '*'] as const
type Field = (typeof fields)[number]

/** A pattern of more letters describes no receipt. */
const maxLetters = 200

/** Reads a text by the pattern of a link; null when it does not fit from its beginning to its end. */
export type ReceiptPattern = (text: string) => ReceiptText | null

interface Place {
  field: Field
  /** What stands behind it; empty at the end of the text. */
  behind: string
}

/**
 * Takes a pattern such as `{stat},{submitted},{id},{*}`: words as they stand, whatever their case, and fields between them, each up to the first place
 * where the words behind it stand. Undefined when it is none: it names an id and a state, each field once, and words between any two. No regular
 * expression: a text of any length is gone through once.
 */
export function readPattern(pattern: string): ReceiptPattern | undefined {
  if (pattern.length > maxLetters) return undefined
  const [front = '', ...rest] = pattern.toLowerCase().split('{')
  const places = rest.map((piece): Place | null => {
    const end = piece.indexOf('}')
    const field = fields.find((name) => name === piece.slice(0, end))
    return end === -1 || field === undefined ? null : { field, behind: piece.slice(end + 1) }
  })
  if (!places.every((place) => place !== null)) return undefined
  const named = places.map(({ field }) => field).filter((field) => field !== '*')
  const isWhole = named.includes('id') && named.includes('stat') && new Set(named).size === named.length
  const isApart = places.slice(0, -1).every(({ behind }) => behind !== '')
  const isPlain = [front, ...places.map(({ behind }) => behind)].every((words) => !words.includes('}'))
  return isWhole && isApart && isPlain ? (text) => readBy(front, places, text.trim()) : undefined
}

function readBy(front: string, places: readonly Place[], text: string): ReceiptText | null {
  const small = text.toLowerCase()
  // Letters whose small form is longer are none of Latin-1, as which a receipt is read.
  if (!small.startsWith(front) || small.length !== text.length) return null
  const found = new Map<Field, string>()
  let at = front.length
  for (const [i, { field, behind }] of places.entries()) {
    const isLast = i === places.length - 1
    const end = isLast ? text.length - behind.length : small.indexOf(behind, at)
    if (end < at || !small.startsWith(behind, end)) return null
    found.set(field, text.slice(at, end).trim())
    at = end + behind.length
  }
  const [id, stat, submitted] = [found.get('id'), found.get('stat'), found.get('submitted')]
  const isSound = isWord(id) && isWord(stat) && (submitted === undefined || /^\d{10,14}$/.test(submitted))
  if (!isSound) return null
  return { id, stat, err: found.get('err') || null, submitDate: submitted ?? null, sub: null, dlvrd: null }
}

const isWord = (value: string | undefined): value is string => value !== undefined && /^\S+$/.test(value)

import type { ReceiptText } from './receipt-text.ts'

/** What a pattern can find in the text of a receipt; `*` is ignored. */
const fields = ['id', 'stat', 'err', 'submitted', '*'] as const
type Field = (typeof fields)[number]

/** A longer pattern describes no receipt. */
const maxLetters = 200

/** Parses a text by the pattern of a link; null when it does not match completely. */
export type ReceiptPattern = (text: string) => ReceiptText | null

interface Place {
  field: Field
  /** The literal text after it; empty at the end of the pattern. */
  literal: string
}

/**
 * Compiles a pattern such as `{stat},{submitted},{id},{*}`: literal text, ignoring case, and fields in
 * between, each up to the first occurrence of the literal after it. Undefined when invalid: it must contain
 * an ID and a state, each field once, and a literal between any two. No regular expression: a text of any
 * length is scanned once.
 */
export function readPattern(pattern: string): ReceiptPattern | undefined {
  if (pattern.length > maxLetters) return undefined
  const [prefix = '', ...rest] = pattern.toLowerCase().split('{')
  const places = rest.map((piece): Place | null => {
    const end = piece.indexOf('}')
    const field = fields.find((name) => name === piece.slice(0, end))
    return end === -1 || field === undefined ? null : { field, literal: piece.slice(end + 1) }
  })
  if (!places.every((place) => place !== null)) return undefined
  const named = places.map(({ field }) => field).filter((field) => field !== '*')
  const isWhole = named.includes('id') && named.includes('stat') && new Set(named).size === named.length
  const isApart = places.slice(0, -1).every(({ literal }) => literal !== '')
  const isPlain = [prefix, ...places.map(({ literal }) => literal)].every((words) => !words.includes('}'))
  return isWhole && isApart && isPlain ? (text) => readBy(prefix, places, text.trim()) : undefined
}

function readBy(prefix: string, places: readonly Place[], text: string): ReceiptText | null {
  const small = text.toLowerCase()
  // Characters whose lower case is longer are not in Latin-1, as which a receipt is read.
  if (!small.startsWith(prefix) || small.length !== text.length) return null
  const found = new Map<Field, string>()
  let at = prefix.length
  for (const [i, { field, literal }] of places.entries()) {
    const isLast = i === places.length - 1
    const end = isLast ? text.length - literal.length : small.indexOf(literal, at)
    if (end < at || !small.startsWith(literal, end)) return null
    found.set(field, text.slice(at, end).trim())
    at = end + literal.length
  }
  const [id, stat, submitted] = [found.get('id'), found.get('stat'), found.get('submitted')]
  const isValid = isWord(id) && isWord(stat) && (submitted === undefined || /^\d{10,14}$/.test(submitted))
  if (!isValid) return null
  return { id, stat, err: found.get('err') || null, submitDate: submitted ?? null, sub: null, dlvrd: null }
}

const isWord = (value: string | undefined): value is string => value !== undefined && /^\S+$/.test(value)

/** The fields of a receipt text, as written. `err` is the carrier's own code, which may contain letters. */
export interface ReceiptText {
  id: string | null
  stat: string | null
  err: string | null
  submitDate: string | null
  /** How many were submitted and how many delivered, as written. */
  sub: string | null
  dlvrd: string | null
}

/**
 * The keys of appendix B, as carriers write them. Each is at the beginning, or after a character that is not
 * part of a word.
 */
const keys = /(?<![\p{L}\p{N}])(id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err|text)[ \t]*:/giu

/**
 * Parses the text of a receipt key by key, in any order, with any missing (SMPP 3.4, appendix B, which leaves
 * it to the vendor). Null when it has neither an ID nor a state. What follows `text:` was written by the
 * sender and may contain anything: from there the last value of a key is used, and only if the key is missing
 * before it.
 */
export function parseReceiptText(text: string): ReceiptText | null {
  const found: Record<ReadKey, string | null> = {
    id: null,
    stat: null,
    err: null,
    submitdate: null,
    sub: null,
    dlvrd: null,
  }
  const quoted: { key: ReadKey; value: string | null }[] = []
  let isQuoted = false
  keys.lastIndex = 0
  // One key at a time: lists of all of them, for thousands of receipts per second, were a fifth of the
  // garbage of a link.
  for (let match = keys.exec(text); match !== null;) {
    const key = (match[1] as string).toLowerCase().replace(/[ _]/, '')
    const start = keys.lastIndex
    match = keys.exec(text)
    const value = firstWord(text.slice(start, match?.index))
    if (key === 'text') isQuoted = true
    else if (!isReadKey(key)) continue
    // A date or a number in the sender's text says nothing about when or how many.
    else if (!isQuoted) found[key] ??= value
    else if (key === 'id' || key === 'stat' || key === 'err') quoted.push({ key, value })
  }
  for (const { key, value } of quoted.toReversed()) found[key] ??= value
  const { id, stat, err, submitdate: submitDate, sub, dlvrd } = found
  return id === null && stat === null ? null : { id, stat, err, submitDate, sub, dlvrd }
}

const order = ['id', 'sub', 'dlvrd', 'submitdate', 'donedate', 'stat', 'err']

/**
 * Returns whether a text is that of appendix B, with all keys in order, except that the last one, `text:`, is
 * often omitted: no person writes that.
 */
export function isWholeReceipt(text: string): boolean {
  keys.lastIndex = 0
  for (const key of order) {
    const match = keys.exec(text)
    if (match === null || (key === 'id' && text.slice(0, match.index).trim() !== '')) return false
    if ((match[1] as string).toLowerCase().replace(/[ _]/, '') !== key) return false
  }
  return true
}

type ReadKey = 'id' | 'stat' | 'err' | 'submitdate' | 'sub' | 'dlvrd'
const readKeys: ReadonlySet<string> = new Set<ReadKey>(['id', 'stat', 'err', 'submitdate', 'sub', 'dlvrd'])
const isReadKey = (key: string): key is ReadKey => readKeys.has(key)

/** The value up to the next blank or separator; null when there is none. */
function firstWord(value: string): string | null {
  const from = value.search(/\S/)
  if (from === -1) return null
  const rest = value.slice(from)
  const end = rest.search(/[\s,;\0]/)
  return end === 0 ? null : end === -1 ? rest : rest.slice(0, end)
}

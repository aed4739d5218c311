/** What the text of a receipt says, word for word. `err` is the carrier's own code, which may have letters. */
export interface ReceiptText {
  id: string | null
  stat: string | null
  err: string | null
  submitDate: string | null
  /** How many were submitted and how many delivered, as they stand. */
  sub: string | null
  dlvrd: string | null
}

/** The keys of appendix B, as carriers write them. Each stands at the beginning or behind something that no word is made of. */
const keys = /(?<![\p{L}\p{N}])(id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err|text)[ \t]*:/giu

/**
 * Reads the text of a receipt key by key, in any order and whatever is missing (SMPP 3.4, appendix B, which leaves it to the vendor).
 * Null when it has neither an id nor a state. What stands behind `text:` is the sender's own and may hold anything: from there the
 * last word of a kind is taken, and only for what was not said in front of it.
 */
export function readReceiptText(text: string): ReceiptText | null {
  const found: Record<Told, string | null> = {
    id: null,
    stat: null,
    err: null,
    submitdate: null,
    sub: null,
    dlvrd: null,
  }
  const behind: { key: Told; value: string | null }[] = []
  let isQuoted = false
  keys.lastIndex = 0
  // One key after the other: lists of all of them, for thousands of receipts a second, were a fifth of what a link left to be collected.
  for (let match = keys.exec(text); match !== null;) {
    const key = (match[1] as string).toLowerCase().replace(/[ _]/, '')
    const start = keys.lastIndex
    match = keys.exec(text)
    const value = firstWord(text.slice(start, match?.index))
    if (key === 'text') isQuoted = true
    else if (!isTold(key)) continue
    // A date or a number that the sender wrote says nothing of when or how many.
    else if (!isQuoted) found[key] ??= value
    else if (key === 'id' || key === 'stat' || key === 'err') behind.push({ key, value })
  }
  for (const { key, value } of behind.toReversed()) found[key] ??= value
  const { id, stat, err, submitdate: submitDate, sub, dlvrd } = found
  return id === null && stat === null ? null : { id, stat, err, submitDate, sub, dlvrd }
}

const order = ['id', 'sub', 'dlvrd', 'submitdate', 'donedate', 'stat', 'err']

/** Whether a text is that of appendix B, key by key in their order, of which the last, `text:`, is often left out: nobody writes that to a person. */
export function isWholeReceipt(text: string): boolean {
  keys.lastIndex = 0
  for (const key of order) {
    const match = keys.exec(text)
    if (match === null || (key === 'id' && text.slice(0, match.index).trim() !== '')) return false
    if ((match[1] as string).toLowerCase().replace(/[ _]/, '') !== key) return false
  }
  return true
}

type Told = 'id' | 'stat' | 'err' | 'submitdate' | 'sub' | 'dlvrd'
const told: ReadonlySet<string> = new Set<Told>(['id', 'stat', 'err', 'submitdate', 'sub', 'dlvrd'])
const isTold = (key: string): key is Told => told.has(key)

/** Up to the next blank or separator; null when there is nothing. */
function firstWord(value: string): string | null {
  const from = value.search(/\S/)
  if (from === -1) return null
  const rest = value.slice(from)
  const end = rest.search(/[\s,;\0]/)
  return end === 0 ? null : end === -1 ? rest : rest.slice(0, end)
}

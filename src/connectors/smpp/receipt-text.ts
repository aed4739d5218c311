/** What the text of a receipt says, word for word. `err` is the carrier's own code, which may have letters. */
export interface ReceiptText {
  id: string | null
  stat: string | null
  err: string | null
  submitDate: string | null
}

/** The keys of appendix B, as carriers write them. Each stands at the beginning or behind something that no word is made of. */
const keys = /(?<![\p{L}\p{N}])(id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err|text)[ \t]*:/giu

/**
 * Reads the text of a receipt key by key, in any order and whatever is missing (SMPP 3.4, appendix B, which leaves it to the vendor).
 * Null when it has neither an id nor a state. What stands behind `text:` is the sender's own and may hold anything: from there the
 * last word of a kind is taken, and only for what was not said in front of it.
 */
export function readReceiptText(text: string): ReceiptText | null {
  const found: Record<Told, string | null> = { id: null, stat: null, err: null, submitdate: null }
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
    // A date that the sender wrote says nothing of when.
    else if (!isQuoted) found[key] ??= value
    else if (key !== 'submitdate') behind.push({ key, value })
  }
  for (const { key, value } of behind.toReversed()) found[key] ??= value
  const { id, stat, err, submitdate: submitDate } = found
  return id === null && stat === null ? null : { id, stat, err, submitDate }
}

type Told = 'id' | 'stat' | 'err' | 'submitdate'
const isTold = (key: string): key is Told =>
  key === 'id' || key === 'stat' || key === 'err' || key === 'submitdate'

/** Up to the next blank or separator; null when there is nothing. */
function firstWord(value: string): string | null {
  const from = value.search(/\S/)
  if (from === -1) return null
  const rest = value.slice(from)
  const end = rest.search(/[\s,;\0]/)
  return end === 0 ? null : end === -1 ? rest : rest.slice(0, end)
}

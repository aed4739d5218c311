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
  const found = { id: null, stat: null, err: null, submitdate: null } as Record<string, string | null>
  const matches = [...text.matchAll(keys)]
  const words = matches.map((match, i) => ({
    key: match[1]?.toLowerCase().replace(/[ _]/, '') ?? '',
    value: firstWord(text.slice(match.index + match[0].length, matches[i + 1]?.index)),
  }))
  const quotedAt = words.findIndex(({ key }) => key === 'text')
  const front = quotedAt === -1 ? words : words.slice(0, quotedAt)
  const behind = quotedAt === -1 ? [] : words.slice(quotedAt + 1).toReversed()
  // A date that the sender wrote says nothing of when.
  const told = behind.filter(({ key }) => key !== 'submitdate')
  for (const { key, value } of [...front, ...told]) if (key in found) found[key] ??= value
  const { id = null, stat = null, err = null, submitdate: submitDate = null } = found
  return id === null && stat === null ? null : { id, stat, err, submitDate }
}

/** Up to the next blank or separator; null when there is nothing. */
function firstWord(value: string): string | null {
  const word = /^\s*([^\s,;\0]+)/u.exec(value)?.[1]
  return word ?? null
}

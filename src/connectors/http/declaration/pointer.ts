/**
 * Where a value is in a document: a JSON Pointer (RFC 6901) in which `*` stands for each element of a list, or the text
 * between two literals, for XML and text; an empty second literal is the end of the text.
 */
export type Place = string | { between: readonly string[] }

/**
 * Returns the values at a place, in the order of the document; none where there is nothing or null. They are at most as many
 * as the document has, whose length is limited where it is received: of a call nothing may be left out.
 */
export function findAll(document: unknown, place: Place): unknown[] {
  if (typeof place !== 'string') return findBetween(document, place.between)
  let found: unknown[] = [document]
  for (const token of tokensOf(place)) {
    found = found.flatMap((value) => step(value, token))
  }
  return found.filter((value) => value !== null && value !== undefined)
}

/** Returns the first value at a place as text; null where there is none, or where it is an object, a list or empty. */
export function findText(document: unknown, place: Place): string | null {
  return textOf(findAll(document, place)[0])
}

/** Returns a scalar as text, and null for anything else and for an empty text. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : null
}

/** Returns the first list at a place; null where there is none. */
export function findList(document: unknown, place: Place): readonly unknown[] | null {
  const [first] = findAll(document, place)
  return Array.isArray(first) ? first : null
}

/** Returns the tokens of a JSON Pointer; that of the whole document has none. */
const tokensOf = (pointer: string): string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

function step(value: unknown, token: string): unknown[] {
  if (Array.isArray(value)) {
    if (token === '*') return value
    return /^(0|[1-9]\d{0,5})$/.test(token) && Number(token) < value.length ? [value[Number(token)]] : []
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return []
  return [(value as Readonly<Record<string, unknown>>)[token]]
}

function findBetween(document: unknown, [before = '', after = '']: readonly string[]): string[] {
  if (typeof document !== 'string') return []
  const found: string[] = []
  let at = 0
  for (;;) {
    const start = document.indexOf(before, at)
    if (start === -1) break
    const end = after === '' ? document.length : document.indexOf(after, start + before.length)
    if (end === -1) break
    found.push(document.slice(start + before.length, end).trim())
    at = end + after.length
    if (after === '') break
  }
  return found
}

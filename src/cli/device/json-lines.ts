import { memberPointer } from '../../runtime/field-faults.ts'

/**
 * Returns in which line of a JSON text each value begins, by its JSON Pointer; the line of a member is that of its name.
 * The text must be valid.
 */
export function linesOfJson(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  let at = 0
  let line = 1

  const skipBlank = (): void => {
    for (; at < text.length && /\s/.test(text[at] as string); at++) if (text[at] === '\n') line += 1
  }
  const readString = (): string => {
    const start = at
    for (at += 1; text[at] !== '"'; at++) if (text[at] === '\\') at += 1
    at += 1
    return JSON.parse(text.slice(start, at)) as string
  }
  const readMembers = (close: string, readOne: (index: number) => void): void => {
    at += 1
    skipBlank()
    for (let index = 0; text[at] !== close; index++) {
      readOne(index)
      skipBlank()
      if (text[at] === ',') at += 1
      skipBlank()
    }
    at += 1
  }
  const readValue = (pointer: string): void => {
    skipBlank()
    if (!lines.has(pointer)) lines.set(pointer, line)
    if (text[at] === '{')
      readMembers('}', () => {
        const own = line
        const child = memberPointer(pointer, readString())
        lines.set(child, own)
        skipBlank()
        at += 1
        readValue(child)
      })
    else if (text[at] === '[') readMembers(']', (index) => readValue(`${pointer}/${index}`))
    else if (text[at] === '"') readString()
    else while (at < text.length && !/[\s,\]}]/.test(text[at] as string)) at += 1
  }
  readValue('')
  return lines
}

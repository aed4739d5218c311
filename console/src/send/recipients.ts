/** Parses pasted numbers, separated by line ends, commas, semicolons or tabs. Spaces and punctuation are removed. */
export function readNumbers(text: string): { numbers: string[]; duplicates: string[] } {
  const numbers: string[] = []
  const duplicates: string[] = []
  const seen = new Set<string>()
  for (const entry of text.split(/[\n,;\t]+/)) {
    const number = plainNumber(entry)
    if (number === '') continue
    if (seen.has(number)) duplicates.push(number)
    else numbers.push(number)
    seen.add(number)
  }
  return { numbers, duplicates }
}

/** Returns +4917012345 for `+49 (170) 123-45` and for 0049170…; the server validates everything else. */
export function plainNumber(text: string): string {
  const bare = text.trim().replace(/[\s().\-/\u00a0]/g, '')
  return bare.replace(/^00(?=[1-9])/, '+')
}

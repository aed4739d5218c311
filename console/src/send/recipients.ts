/** Numbers as people paste them: one a line, or between commas, semicolons and tabs; white space and punctuation inside are taken out. */
export function readNumbers(text: string): { numbers: string[]; duplicates: string[] } {
  const numbers: string[] = []
  const duplicates: string[] = []
  const seen = new Set<string>()
  for (const piece of text.split(/[\n,;\t]+/)) {
    const number = plainNumber(piece)
    if (number === '') continue
    if (seen.has(number)) duplicates.push(number)
    else numbers.push(number)
    seen.add(number)
  }
  return { numbers, duplicates }
}

/** `+49 (170) 123-45` is +4917012345, and so is 0049170…; anything else stays as it is, for the server to judge. */
export function plainNumber(text: string): string {
  const bare = text.trim().replace(/[\s().\-/\u00a0]/g, '')
  return bare.replace(/^00(?=[1-9])/, '+')
}

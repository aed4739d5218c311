/** Limits of the server's call. */
const maxLines = 500
const maxCharacters = 39_000

interface Piece {
  text: string
  /** Lines of the list before this piece. */
  linesBefore: number
}

/**
 * Splits a list at line ends into pieces within the limits of the server. All but the first start with an empty line,
 * because only the first line of the list can contain column names.
 */
export function inPieces(list: string): Piece[] {
  const lines = list.replace(/^\ufeff/, '').split(/\r\n|[\r\n]/)
  const pieces: Piece[] = []
  let from = 0
  let characters = 0
  const end = (at: number): void => {
    const text = lines.slice(from, at).join('\n')
    if (at > from)
      pieces.push(from === 0 ? { text, linesBefore: 0 } : { text: `\n${text}`, linesBefore: from - 1 })
    from = at
    characters = 0
  }
  for (const [at, line] of lines.entries()) {
    if (at - from >= maxLines || characters + line.length + 1 > maxCharacters) end(at)
    characters += line.length + 1
  }
  end(lines.length)
  return pieces
}

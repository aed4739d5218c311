/** As the server takes them at once. */
const maxLines = 500
const maxCharacters = 39_000

interface Piece {
  text: string
  /** How many lines of the whole stand before it. */
  linesBefore: number
}

/**
 * A list in pieces that the server takes, none of which parts a line. Those behind the first begin with an empty line: only the first line of all may
 * name the columns.
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

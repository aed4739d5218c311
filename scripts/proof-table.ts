/** What came of one proof, or of one bug planted for it. */
export interface ResultRow {
  proof: string
  size: string
  result: string
  seconds: number
  holds: boolean
  reasons: readonly string[]
}

const longestCell = 70

/** The one table of `npm run prove`, with a sum below it and how long all of it took. */
export function renderResults(rows: readonly ResultRow[], elapsedMs: number): string {
  const cells = rows.map(({ proof, size, result, seconds, holds }) => [
    holds ? '✓' : '✗',
    proof,
    shorten(size),
    shorten(result),
    `${seconds} s`,
  ])
  const header = ['', 'proof', 'size', 'result', 'time']
  const widths = header.map((title, i) =>
    Math.max(title.length, ...cells.map((row) => (row[i] as string).length)),
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) =>
        i === row.length - 1 ? cell.padStart(widths[i] as number) : cell.padEnd(widths[i] as number),
      )
      .join('  ')
  const failed = rows.filter(({ holds }) => !holds)
  const sum = `${rows.length - failed.length} hold, ${failed.length} do not; ${(elapsedMs / 60_000).toFixed(1)} min`
  const reasons = failed.flatMap(({ proof, reasons: why }) => why.map((reason) => `✗ ${proof}: ${reason}`))
  return `${[line(header), ...cells.map(line), '', ...reasons, sum].join('\n')}\n`
}

const shorten = (text: string): string =>
  text.length <= longestCell ? text : `${text.slice(0, longestCell - 1)}…`

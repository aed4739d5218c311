import { type Figure, judge } from './figure.ts'

const columns = ['', 'measured', 'value', 'of N', 'bar', ''] as const

/** The table of a run, for a terminal and for Markdown alike. */
export function renderTable(figures: readonly Figure[]): string {
  const lines = figures.map((figure) => {
    const { ratio, bar, verdict } = judge(figure)
    return [String(figure.row), figure.name, figure.value, ratio, bar, verdict]
  })
  return renderLines(columns, lines)
}

/** A table of texts, for a terminal and for Markdown alike. */
export function renderLines(names: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = names.map((name, i) =>
    Math.max(3, name.length, ...lines.map((line) => [...(line[i] ?? '')].length)),
  )
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  return [row(names), row(widths.map((width) => '-'.repeat(width))), ...lines.map(row)].join('\n')
}

/** A sentence for each bar that was missed, with a link to the profile that shows what stands in the way. */
export function missedSentences(figures: readonly Figure[]): string[] {
  return figures.flatMap((figure) => {
    const { ratio, bar, verdict } = judge(figure)
    if (verdict !== 'MISS') return []
    const reached = figure.bar?.kind === 'of-n' ? `${ratio} (${figure.value})` : figure.value
    const facts = figure.facts === undefined ? '' : `: ${figure.facts}`
    const why = figure.profile === undefined ? '' : ` [Its profile](profiles/${figure.profile}.txt).`
    return [`${figure.name}: ${reached} where the bar is ${bar}${facts}.${why}`]
  })
}

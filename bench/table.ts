import { type Figure, judge, usOf } from './figure.ts'

export const rowColumns = ['', 'measured', 'value', 'processor', 'bar', ''] as const

/** The table of a run, for a terminal and for Markdown alike. */
export function renderTable(figures: readonly Figure[]): string {
  return renderLines(rowColumns, figures.map(rowOf))
}

/** The cells of a figure. */
export function rowOf(figure: Figure): string[] {
  const { bar, verdict } = judge(figure)
  const processor = figure.us === undefined ? '' : usOf(figure.us)
  return [String(figure.row), figure.name, figure.value, processor, bar, verdict]
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

/** A sentence for each bar that was missed, with the command that shows where the time goes. */
export function missedSentences(figures: readonly Figure[]): string[] {
  return figures.flatMap((figure) => {
    const { bar, verdict } = judge(figure)
    if (verdict !== 'MISS') return []
    const facts = figure.facts === undefined ? '' : `: ${figure.facts}`
    const why = figure.profile === undefined ? '' : ` Shown by --profile ${figure.profile}.`
    return [`${figure.name}: ${figure.value} where the bar is ${bar}${facts}.${why}`]
  })
}

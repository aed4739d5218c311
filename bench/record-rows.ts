import type { Figure } from './figure.ts'
import { missedSentences, renderLines, rowColumns, rowOf } from './table.ts'

/** What a run of some rows says of itself. */
interface PartRun {
  figures: readonly Figure[]
  /** The numbers of its rows, as they were asked for. */
  rows: string
  /** Day, machine and host, in a sentence. */
  about: string
}

const aboutStart = '- Rows '

/**
 * Puts rows of a run into docs/benchmarks.md: in the place of lines with their numbers, with a line that says when and where they were measured, and
 * their bars that were missed. Row 1, the host, is that of a whole run. Throws for a page without a table.
 */
export function recordRows(page: string, { figures, rows, about }: PartRun): string {
  const measured = figures.filter(({ row }) => row !== 1)
  const numbers = new Set(measured.map(({ row }) => String(row)))
  const lines = page.split('\n')
  const first = lines.findIndex((line) => line.startsWith('| '))
  if (first < 0) throw new Error('docs/benchmarks.md has no table.')
  const length = lines.slice(first).findIndex((line) => !line.startsWith('| '))
  const former = lines.slice(first + 2, first + length).map(cellsOf)
  const replaced = former.filter(([number = '']) => numbers.has(number))
  const kept = former.filter((cells) => !replaced.includes(cells))
  const table = [...kept, ...measured.map(rowOf)].toSorted((a, b) => Number(a[0]) - Number(b[0]))
  const formerNames = [...replaced.map(([, name]) => name), ...measured.map(({ name }) => name)]
  const isFormer = (line: string): boolean =>
    line.startsWith(`${aboutStart}${rows} `) || formerNames.some((name) => line.startsWith(`- ${name}: `))
  const before = lines.slice(0, first - 1).filter((line) => !isFormer(line))
  const after = lines.slice(first + length).filter((line) => !isFormer(line))
  return [
    ...before,
    `${aboutStart}${rows} are of another run: ${about}`,
    '',
    renderLines(rowColumns, table),
    ...withMissed(after, missedSentences(measured)),
  ].join('\n')
}

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())

/** Adds sentences to those that are missed, in their section. */
function withMissed(lines: readonly string[], sentences: readonly string[]): string[] {
  const bullets = sentences.map((sentence) => `- ${sentence}`)
  const at = lines.findIndex((line) => line === 'Missed:' || line === 'Every bar was met.')
  if (at < 0 || bullets.length === 0) return [...lines]
  const rest = lines[at] === 'Missed:' ? lines.slice(at + 2) : ['', ...lines.slice(at + 2)]
  return [...lines.slice(0, at), 'Missed:', '', ...bullets, ...rest]
}

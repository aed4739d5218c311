import { measureText, normalizeText } from '../../../src/sms/sms-text.ts'
import { replaceLookAlikes } from '../../../src/sms/smart-encoding.ts'
import { plainNumber } from './recipients.ts'

/** A table as it was read: names of columns, and rows by them. */
export interface SheetTable {
  columns: string[]
  rows: Record<string, string>[]
  /** What could not be read, with the row that it is about. */
  faults: string[]
}

export interface PlannedRow {
  /** As the file counts them: the first row under the head is 2. */
  row: number
  to: string
  text: string
  parts: number
  fault: string | null
}

export interface TablePlan {
  good: PlannedRow[]
  bad: PlannedRow[]
  parts: number
}

const placeholder = /\{\{\s*([^{}]+?)\s*\}\}/g

/** The columns that a text names and the table does not have. */
export const unknownPlaceholders = (text: string, columns: readonly string[]): string[] => [
  ...new Set(
    [...text.matchAll(placeholder)].map(([, name = '']) => name).filter((name) => !columns.includes(name)),
  ),
]

/** Puts the values of a row in the place of `{{column}}`. */
const fillText = (text: string, row: Readonly<Record<string, string>>): string =>
  text.replace(placeholder, (whole, name: string) => row[name] ?? whole)

/** What would be sent for each row, and which rows cannot be: no number, named before, an empty or too long text. */
export function planTable(
  { rows }: SheetTable,
  { numberColumn, text, smartEncoding }: { numberColumn: string; text: string; smartEncoding: boolean },
): TablePlan {
  const seen = new Map<string, number>()
  const planned = rows.map((cells, i): PlannedRow => {
    const row = i + 2
    const to = plainNumber(cells[numberColumn] ?? '')
    const filled = normalizeText(fillText(text, cells))
    const { parts } = measureText(smartEncoding ? replaceLookAlikes(filled) : filled, 'auto')
    const before = seen.get(to)
    if (before === undefined) seen.set(to, row)
    return { row, to, text: filled, parts, fault: faultOf(to, filled, parts, before) }
  })
  const good = planned.filter(({ fault }) => fault === null)
  return {
    good,
    bad: planned.filter(({ fault }) => fault !== null),
    parts: good.reduce((sum, { parts }) => sum + parts, 0),
  }
}

const maxParts = 10

function faultOf(to: string, text: string, parts: number, before: number | undefined): string | null {
  if (to === '') return 'It has no number.'
  if (before !== undefined) return `Its number stands in row ${before} already; it is sent once.`
  if (!/^\+[1-9]\d{6,14}$/.test(to))
    return `${to} is not a number with a plus and the country, such as +491701234567.`
  if (text.trim() === '') return 'Its text is empty.'
  return parts > maxParts ? `Its text needs ${parts} parts; ${maxParts} are the most.` : null
}

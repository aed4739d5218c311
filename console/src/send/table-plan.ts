import { measureText, normalizeText } from '../../../src/sms/sms-text.ts'
import { replaceLookAlikes } from '../../../src/sms/smart-encoding.ts'
import { plainNumber } from './recipients.ts'

/** A parsed table: column names, and rows keyed by them. */
export interface SheetTable {
  columns: string[]
  rows: Record<string, string>[]
  /** What could not be parsed, with its row. */
  faults: string[]
}

export interface PlannedRow {
  /** As counted in the file: the first row below the header is 2. */
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

/** Returns the placeholders of a text that are not columns of the table. */
export const unknownPlaceholders = (text: string, columns: readonly string[]): string[] => [
  ...new Set(
    [...text.matchAll(placeholder)].map(([, name = '']) => name).filter((name) => !columns.includes(name)),
  ),
]

/** Replaces each `{{column}}` by the value of the row. */
const fillText = (text: string, row: Readonly<Record<string, string>>): string =>
  text.replace(placeholder, (whole, name: string) => row[name] ?? whole)

/** Plans the message of each row, or its fault: a missing or repeated number, an empty text, or too many parts. */
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
  if (to === '') return 'The number is missing.'
  if (before !== undefined) return `The number is already in row ${before}; it is sent once.`
  if (!/^\+[1-9]\d{6,14}$/.test(to))
    return `${to} is not a number in international format, such as +491701234567.`
  if (text.trim() === '') return 'The text is empty.'
  return parts > maxParts ? `The text needs ${parts} parts; the maximum is ${maxParts}.` : null
}

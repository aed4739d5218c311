import Papa from 'papaparse'
import type { SheetTable } from './table-plan.ts'

/** Enough for a manual send; applications use the API. */
const maxTableRows = 50_000
const maxFaults = 20

/** Parses CSV (RFC 4180) with any of the usual separators; the first row names the columns. */
export function readTable(text: string): SheetTable {
  const { data, meta, errors } = Papa.parse<Record<string, string>>(text.replace(/^\ufeff/, ''), {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: (name) => name.trim(),
    delimitersToGuess: [',', ';', '\t', '|'],
  })
  const faults = errors
    .filter(({ code }) => code !== 'UndetectableDelimiter')
    .slice(0, maxFaults)
    .map(({ row, message }) => `Row ${(row ?? 0) + 2}: ${message}.`)
  if (data.length > maxTableRows)
    faults.push(`The table has ${data.length} rows; only the first ${maxTableRows} are read.`)
  return {
    columns: (meta.fields ?? []).filter((name) => name !== ''),
    rows: data.slice(0, maxTableRows),
    faults,
  }
}

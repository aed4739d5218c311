import Papa from 'papaparse'
import type { SentRow } from '../../../src/api/console/messages/send-calls.ts'
import type { TablePlan } from './table-plan.ts'

/** Cells that a spreadsheet would evaluate as a formula; numbers in E.164 are not. */
const formula = /^(?!\+\d+$)[=+\-@\t\r]/

const resultOf = (result: SentRow | undefined): string =>
  result === undefined ? 'not sent' : result.refused !== null ? 'rejected' : 'accepted'

/** Returns the result of each row as CSV, in the order of the file. */
export function reportOf({ good, bad }: TablePlan, results: readonly SentRow[]): string {
  const byRow = new Map(results.map((result) => [result.row, result]))
  const rows = [...good, ...bad]
    .toSorted((a, b) => a.row - b.row)
    .map(({ row, to, fault }) => {
      const result = byRow.get(row)
      const refused = result?.refused ?? null
      return {
        row,
        to,
        result: fault !== null ? 'skipped' : resultOf(result),
        message_id: result?.messageId ?? '',
        parts: result?.parts ?? 0,
        reason: fault ?? refused?.detail ?? '',
      }
    })
  return Papa.unparse(rows, { escapeFormulae: formula })
}

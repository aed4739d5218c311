import { readFile, writeFile } from 'node:fs/promises'
import type { ResultRow } from './proof-table.ts'

/** What a proof showed when it last ran at its long size: `docs/reliability.json`, by its name, shown in docs/reliability.md. */
export type RecordedResult = Pick<ResultRow, 'size' | 'result' | 'seconds'>

const file = new URL('../docs/reliability.json', import.meta.url)

/** Nothing was recorded yet: an empty record. */
export const readRecord = async (): Promise<Record<string, RecordedResult>> =>
  JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Record<string, RecordedResult>

/** Keeps what proofs showed, beside what others showed before. What did not hold is taken out: it was seen to fail since. */
export async function recordResults(rows: readonly ResultRow[]): Promise<void> {
  const record = await readRecord()
  for (const { proof, size, result, seconds, holds } of rows) {
    if (holds) record[proof] = { size, result, seconds }
    else delete record[proof]
  }
  const sorted = Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => a.localeCompare(b)))
  await writeFile(file, `${JSON.stringify(sorted, null, 2)}\n`)
}

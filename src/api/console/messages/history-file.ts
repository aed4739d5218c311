import { rfc3339 } from '../../../runtime/clock.ts'
import { deliveredAtOf, type MessageRow, sentAtOf } from '../../../messages/core/message-store.ts'
import { renderMessage } from '../../v1/message-view.ts'
import { csvLine, csvMark } from '../core/csv.ts'

/** A message of an export, with the network IDs of its parts. */
export interface ExportRow {
  message: MessageRow
  networkIds: readonly string[]
}

/** Format of an export. */
export type FileFormat = 'csv' | 'json'

/** Writes pages of messages as the text of one file, chunk by chunk. */
export async function* writeFile(
  format: FileFormat,
  pages: AsyncIterable<readonly ExportRow[]>,
): AsyncGenerator<string> {
  yield* format === 'csv' ? writeCsv(pages) : writeJson(pages)
}

/** Writes one array of messages as the API shows them, with their network IDs; one message per line. */
async function* writeJson(pages: AsyncIterable<readonly ExportRow[]>): AsyncGenerator<string> {
  let separator = '[\n'
  for await (const rows of pages) {
    const lines = rows.map(({ message, networkIds }) =>
      JSON.stringify({ ...renderMessage(message), network_ids: networkIds }),
    )
    yield separator + lines.join(',\n')
    separator = ',\n'
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n'
}

const instantOf = (atMs: number | null): string => (atMs === null ? '' : rfc3339(atMs))

const columns: readonly [name: string, of: (row: MessageRow) => string | number | null][] = [
  ['id', (row) => row.id],
  ['created_at', (row) => rfc3339(row.created_at)],
  ['direction', (row) => row.direction],
  ['status', (row) => row.status],
  ['to', (row) => row.recipient],
  ['from', (row) => row.sender],
  ['country', (row) => row.country],
  ['text', (row) => row.text],
  ['parts', (row) => row.parts],
  ['parts_sent', (row) => row.parts_sent],
  ['charged', (row) => row.charged],
  ['error_code', (row) => row.error_code],
  ['network_code', (row) => row.network_code],
  ['device_id', (row) => row.device_id],
  ['attempts', (row) => row.attempts],
  ['possible_duplicate', (row) => (row.possible_duplicate === 1 ? 'true' : 'false')],
  ['client_reference', (row) => row.client_reference],
  ['metadata', (row) => row.metadata],
  ['sent_at', (row) => instantOf(sentAtOf(row))],
  ['delivered_at', (row) => instantOf(deliveredAtOf(row))],
  ['finalized_at', (row) => instantOf(row.finalized_at)],
  ['updated_at', (row) => rfc3339(row.updated_at)],
  ['send_id', (row) => row.send_id],
  ['received_at', (row) => instantOf(row.received_at)],
]

/** Writes comma-separated values, with a header line. */
async function* writeCsv(pages: AsyncIterable<readonly ExportRow[]>): AsyncGenerator<string> {
  yield `${csvMark}${csvLine([...columns.map(([name]) => name), 'network_ids'])}`
  for await (const rows of pages)
    yield rows
      .map(({ message, networkIds }) =>
        csvLine([...columns.map(([, of]) => of(message)), networkIds.join(' ')]),
      )
      .join('')
}

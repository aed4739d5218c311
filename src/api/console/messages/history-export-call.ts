import { Type } from 'typebox'
import { rfc3339 } from '../../../runtime/clock.ts'
import { countExport, type HistoryExport, readExport } from '../../../messages/history/history-export.ts'
import { readNetworkIds } from '../../../messages/history/network-ids.ts'
import { appendAudit } from '../../../storage/seam/audit-log.ts'
import type { Db } from '../../../storage/seam/dialect.ts'
import { type AccountContext, defineDownload, type DownloadedFile } from '../core/call.ts'
import { type ExportRow, type FileFormat, writeFile } from './history-file.ts'
import { HistoryFilterInput, queryOf } from './history-filter.ts'

const formats = ['csv', 'json'] as const satisfies readonly FileFormat[]
const contentTypes: Record<FileFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

/** Maximum wait for the first byte. Without a total, the page shows how much has arrived. */
const countPatienceMs = 1_000

/**
 * Returns all messages that match a filter as one file, which is written while it is read. `x-total-rows` has
 * the number of rows when it is known.
 */
export const exportHistory = defineDownload({
  access: 'member',
  input: Type.Object(
    { filter: HistoryFilterInput, format: Type.Unsafe<FileFormat>({ type: 'string', enum: [...formats] }) },
    { additionalProperties: false },
  ),
  async handle(context, { filter, format }): Promise<DownloadedFile> {
    const { account, clock, ports } = context
    const nowMs = clock.now()
    const requested = { owner: { accountId: account.id, mode: account.mode }, query: queryOf(filter), nowMs }
    const { db, giveBack } = ports.history.exports.take(account.id)
    try {
      await auditExport(context, format, Object.keys(filter), nowMs)
      const total = await countExport({ db, clock }, requested, countPatienceMs)
      return {
        name: `messages-${account.mode}-${rfc3339(nowMs).slice(0, 10)}.${format}`,
        contentType: contentTypes[format],
        chunks: writeFile(format, withNetworkIds(db, requested)),
        ended: giveBack,
        headers: total === null ? {} : { 'x-total-rows': String(total) },
      }
    } catch (error) {
      giveBack()
      throw error
    }
  },
})

/** Reads the network IDs of each page with it. */
async function* withNetworkIds(db: Db, requested: HistoryExport): AsyncGenerator<ExportRow[]> {
  for await (const rows of readExport(db, requested)) {
    const ids = rows.map(({ id }) => id)
    const networkIds = await readNetworkIds(db, requested.owner, ids)
    yield rows.map((message) => ({ message, networkIds: networkIds.get(message.id) ?? [] }))
  }
}

/**
 * Records who exported which messages, with the names of the filter conditions only: their values can be
 * texts and numbers.
 */
const auditExport = (
  { writer, ids, account, actor }: AccountContext,
  format: FileFormat,
  conditions: readonly string[],
  nowMs: number,
): Promise<void> =>
  writer.write((tx) =>
    appendAudit(
      tx,
      { ids, nowMs },
      {
        accountId: account.id,
        actor,
        action: 'messages.exported',
        detail: { mode: account.mode, format, conditions },
      },
    ),
  )

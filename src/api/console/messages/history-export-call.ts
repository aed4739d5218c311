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

/** Nobody waits longer for the first byte; without a count the page shows how much has come. */
const countPatienceMs = 1_000

/** Every message that fits a filter, as one file that is written as it is read. `x-total-rows` says how many will come, when that is known. */
export const exportHistory = defineDownload({
  access: 'member',
  input: Type.Object(
    { filter: HistoryFilterInput, format: Type.Unsafe<FileFormat>({ type: 'string', enum: [...formats] }) },
    { additionalProperties: false },
  ),
  async handle(context, { filter, format }): Promise<DownloadedFile> {
    const { account, clock, ports } = context
    const nowMs = clock.now()
    const asked = { owner: { accountId: account.id, mode: account.mode }, query: queryOf(filter), nowMs }
    const { db, giveBack } = ports.history.exports.take(account.id)
    try {
      await writeDown(context, format, Object.keys(filter), nowMs)
      const total = await countExport({ db, clock }, asked, countPatienceMs)
      return {
        name: `messages-${account.mode}-${rfc3339(nowMs).slice(0, 10)}.${format}`,
        contentType: contentTypes[format],
        chunks: writeFile(format, withNetworkIds(db, asked)),
        ended: giveBack,
        headers: total === null ? {} : { 'x-total-rows': String(total) },
      }
    } catch (error) {
      giveBack()
      throw error
    }
  },
})

/** The ids of a page are read with it. */
async function* withNetworkIds(db: Db, asked: HistoryExport): AsyncGenerator<ExportRow[]> {
  for await (const rows of readExport(db, asked)) {
    const ids = rows.map(({ id }) => id)
    const networkIds = await readNetworkIds(db, asked.owner, ids)
    yield rows.map((message) => ({ message, networkIds: networkIds.get(message.id) ?? [] }))
  }
}

/** Who took which messages out, by the names of the conditions: their values may be texts and numbers. */
const writeDown = (
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

import { hourMs } from '../../runtime/clock.ts'
import type { Db } from '../seam/dialect.ts'
import type { Writer } from '../seam/writer.ts'
import { type NodeCertificate, readJson, writeJson } from '../tables/json-columns.ts'

/** Records the certificate with which phones connect to a node; writes only what is new. */
export async function recordNodeCertificate(
  { read, writer }: { read: Db; writer: Pick<Writer, 'write'> },
  epoch: number,
  { source, address, untilMs }: NodeCertificate,
): Promise<void> {
  const certificate = writeJson<NodeCertificate>({ source, address, untilMs })
  const row = await read
    .selectFrom('nodes')
    .select('certificate')
    .where('epoch', '=', epoch)
    .executeTakeFirst()
  if (row?.certificate === certificate) return
  await writer.write((tx) =>
    tx.updateTable('nodes').set({ certificate }).where('epoch', '=', epoch).execute(),
  )
}

/** A node that restarts within this keeps its alerts: they neither end nor begin again. */
const recentMs = hourMs

/** Returns the certificates of the nodes that are alive, or were a moment ago: of each address that of the latest start. */
export async function readNodeCertificates(db: Db, nowMs: number): Promise<NodeCertificate[]> {
  const rows = await db
    .selectFrom('nodes')
    .select('certificate')
    .where(({ or, eb }) => or([eb('left_at', 'is', null), eb('left_at', '>', nowMs - recentMs)]))
    .where('certificate', 'is not', null)
    .orderBy('epoch')
    .execute()
  const made = rows.flatMap(({ certificate }) => (certificate === null ? [] : [readJson(certificate)]))
  return [...new Map(made.map((each) => [each.address, each])).values()]
}

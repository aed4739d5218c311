import type { Ids } from '../../runtime/ids.ts'
import type { Tx } from './dialect.ts'

export interface AuditEntry {
  /** Null for what concerns the whole instance. */
  accountId: string | null
  /** Who did it: a user's id, or the tool, such as `cli`. */
  actor: string
  /** What was done, as `noun.verb`. */
  action: string
  /** What it was done to and with. Never a key, a password or a text. */
  detail: Readonly<Record<string, unknown>>
}

/** Writes down who did what, in the transaction that does it. */
export async function appendAudit(
  tx: Tx,
  deps: { ids: Ids; nowMs: number },
  entry: AuditEntry,
): Promise<void> {
  await tx
    .insertInto('audit_log')
    .values({
      id: deps.ids('aud'),
      account_id: entry.accountId,
      actor: entry.actor,
      action: entry.action,
      detail: JSON.stringify(entry.detail),
      created_at: deps.nowMs,
    })
    .execute()
}

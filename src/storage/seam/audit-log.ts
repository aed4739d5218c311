import type { Ids } from '../../runtime/ids.ts'
import type { Tx } from './dialect.ts'

export interface AuditEntry {
  /** Null for an action on the whole instance. */
  accountId: string | null
  /** Who did it: a user ID, or the tool, such as `cli`. */
  actor: string
  /** The action, as `noun.verb`. */
  action: string
  /** Objects and values of the action. Never a key, a password or a text. */
  detail: Readonly<Record<string, unknown>>
}

/** Records who did what, in the same transaction. */
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

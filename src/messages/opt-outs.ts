import type { Db } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { selectEach } from '../storage/sets.ts'

const optOutOf = {
  sql: `select recipient from opt_outs where account_id = :account and mode = :mode and recipient = :recipient
        and (forget_at is null or forget_at > :now)`,
  inputs: ['account', 'mode', 'recipient', 'now'],
} as const

/** Which of these numbers said STOP to the account. */
export async function findOptedOut(
  db: Db,
  name: { accountId: string; mode: Mode },
  recipients: readonly string[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const inputs = recipients.map((recipient) => [name.accountId, name.mode, recipient, nowMs])
  const rows = await selectEach<{ recipient: string }>(db, optOutOf, inputs)
  return new Set(rows.map((row) => row.recipient))
}

import type { Tx } from '../storage/dialect.ts'

/** Lets what waits for the end of quiet hours be judged anew, because an account has others now. */
export async function wakeQuiet(tx: Tx, accountId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('deferred')
    .set({ wake_at: nowMs })
    .where('account_id', '=', accountId)
    .where('reason', '=', 'quiet_hours')
    .where('wake_at', '>', nowMs)
    .execute()
}

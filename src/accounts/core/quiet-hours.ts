import { invalidInput } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import { type AccountDeps, readAccount } from './accounts.ts'

/** Minutes since midnight, in the recipient's local time. */
export interface QuietHours {
  from: number
  until: number
}

/**
 * Sets the hours in which live messages of an account are deferred to the recipient's morning; null = none.
 * Rejects times that are no minute of a day, and an empty range.
 */
export async function setQuietHours(
  tx: Tx,
  deps: AccountDeps,
  { accountId, hours, actor }: { accountId: string; hours: QuietHours | null; actor: string },
): Promise<void> {
  const isMinute = (minute: number): boolean => Number.isInteger(minute) && minute >= 0 && minute < 1_440
  if (hours !== null && !(isMinute(hours.from) && isMinute(hours.until) && hours.from !== hours.until))
    throw invalidInput([
      {
        pointer: '/hours',
        code: 'out_of_range',
        detail: 'Quiet hours must begin and end at two different minutes of a day.',
      },
    ])
  await readAccount(tx, accountId)
  await tx
    .updateTable('accounts')
    .set({
      quiet_from: hours?.from ?? null,
      quiet_until: hours?.until ?? null,
      updated_at: deps.nowMs,
    })
    .where('id', '=', accountId)
    .execute()
  const detail =
    hours === null ? { quiet: null } : { from: timeOfDay(hours.from), until: timeOfDay(hours.until) }
  await appendAudit(tx, deps, { accountId, actor, action: 'account.quiet_hours', detail })
  await touchDirectory(tx)
}

/** Formats a minute as `21:30`. */
export const timeOfDay = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

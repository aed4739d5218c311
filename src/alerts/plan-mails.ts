import { placeholderEmail } from '../accounts/core/accounts.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import type { AlertKind, AlertMailTable } from '../storage/tables/operator-tables.ts'
import { insertRows } from '../storage/seam/sets.ts'
import { mailLeaseMs } from './alert-mails.ts'
import { alertTexts } from './alert-texts.ts'

interface NotifiedAlert {
  id: string
  kind: AlertKind
  subject: string
  accountId: string | null
}

/** A user to notify of the start or end of an alert. */
interface PlannedMail extends Pick<NotifiedAlert, 'id' | 'kind' | 'subject'> {
  userId: string
  dueAt: number
}

/**
 * Stores who is notified of the start and end of alerts, in the transaction that begins and ends them. A
 * recovery is sent to users whose mail about the start was accepted by the mail server, or may have been; the
 * others receive neither mail.
 */
export async function planMails(
  tx: Tx,
  {
    began,
    ended,
  }: { began: readonly NotifiedAlert[]; ended: readonly (NotifiedAlert & { isGood: boolean })[] },
  nowMs: number,
): Promise<void> {
  const first: PlannedMail[] = []
  for (const alert of began)
    for (const userId of await readAudience(tx, alert)) first.push({ ...alert, userId, dueAt: nowMs })
  await insertRows(tx, 'alert_mails', mailRows('began', first, nowMs))
  const last: PlannedMail[] = []
  for (const alert of ended) {
    await tx
      .updateTable('alert_mails')
      .set({ done_at: nowMs })
      .where('alert_id', '=', alert.id)
      .where('phase', '=', 'began')
      .where('done_at', 'is', null)
      .where('tries', '=', 0)
      .execute()
    await dropFormerEnds(tx, alert, nowMs)
    if (!alert.isGood || alertTexts[alert.kind].ended === null) continue
    const notified = await tx
      .selectFrom('alert_mails')
      .select(['user_id', 'done_at'])
      .where('alert_id', '=', alert.id)
      .where('phase', '=', 'began')
      .where(({ eb, or }) => or([eb('tries', '>', 0), eb('may_be_told', '=', 1)]))
      .execute()
    // A mail that may be on its way is settled when its lease ends; `claimMails` checks then whether it was
    // accepted.
    for (const { user_id: userId, done_at } of notified)
      last.push({ ...alert, userId, dueAt: done_at === null ? nowMs + mailLeaseMs : nowMs })
  }
  await insertRows(tx, 'alert_mails', mailRows('ended', last, nowMs))
}

/**
 * Drops former ends of the same alert that still wait: for users who are notified of this end, and for all
 * users when this alert does not recover.
 */
async function dropFormerEnds(
  tx: Tx,
  { id, kind, subject, isGood }: NotifiedAlert & { isGood: boolean },
  nowMs: number,
): Promise<void> {
  const notifiedOfStart = tx
    .selectFrom('alert_mails')
    .select('user_id')
    .where('alert_id', '=', id)
    .where('phase', '=', 'began')
    .where('tries', '>', 0)
    .where('done_at', 'is not', null)
  await tx
    .updateTable('alert_mails')
    .set({ done_at: nowMs, tries: 0 })
    .where('phase', '=', 'ended')
    .where('done_at', 'is', null)
    .where('alert_id', '!=', id)
    .where(
      'alert_id',
      'in',
      tx.selectFrom('alerts').select('id').where('kind', '=', kind).where('subject', '=', subject),
    )
    .$if(isGood, (update) => update.where('user_id', 'in', notifiedOfStart))
    .execute()
}

/**
 * When a balance becomes low and exhausted at the same moment, only the exhausted one is mailed, to users who
 * are certain to receive it.
 */
function mailRows(phase: AlertMailTable['phase'], mails: readonly PlannedMail[], nowMs: number) {
  const keyOf = ({ subject, userId }: PlannedMail): string => `${subject} ${userId}`
  const worse = mails.filter(({ kind, dueAt }) => kind === 'balance_exhausted' && dueAt <= nowMs)
  const implied = new Set(worse.map(keyOf))
  return mails
    .filter((mail) => mail.kind !== 'balance_low' || !implied.has(keyOf(mail)))
    .map(({ id, userId, dueAt }) => ({ alert_id: id, phase, user_id: userId, due_at: dueAt, done_at: null }))
}

/**
 * Returns the owners of the account; operators for subjects without an account, and for kinds that need their
 * action. Users who muted the kind are excluded.
 */
async function readAudience(tx: Tx, { kind, accountId }: NotifiedAlert): Promise<string[]> {
  const isOperators = accountId === null || alertTexts[kind].notifiesOperators
  const rows = await tx
    .selectFrom('users')
    .select(['users.id', 'users.email'])
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        ...(isOperators ? [eb('users.is_operator', '=', 1)] : []),
        exists(
          selectFrom('account_users')
            .select('account_users.user_id')
            .whereRef('account_users.user_id', '=', 'users.id')
            .where('account_users.account_id', '=', accountId ?? '')
            .where('account_users.role', '=', 'owner'),
        ),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('alert_mutes')
            .select('alert_mutes.kind')
            .whereRef('alert_mutes.user_id', '=', 'users.id')
            .where('alert_mutes.kind', '=', kind),
        ),
      ),
    )
    .orderBy('users.id')
    .execute()
  return rows.filter(({ email }) => email !== placeholderEmail).map(({ id }) => id)
}

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

/** One person who is to be told of the begin or the end of an alert. */
interface Telling extends Pick<NotifiedAlert, 'id' | 'kind' | 'subject'> {
  userId: string
  dueAt: number
}

/**
 * Writes down who is told of the begin and the end of alerts, in the transaction that begins and ends them. A good end is told to those of whom the mail
 * server took a mail of the begin, or may have taken one; all others are told neither.
 */
export async function planMails(
  tx: Tx,
  {
    began,
    ended,
  }: { began: readonly NotifiedAlert[]; ended: readonly (NotifiedAlert & { isGood: boolean })[] },
  nowMs: number,
): Promise<void> {
  const first: Telling[] = []
  for (const alert of began)
    for (const userId of await readAudience(tx, alert)) first.push({ ...alert, userId, dueAt: nowMs })
  await insertRows(tx, 'alert_mails', mailRows('began', first, nowMs))
  const last: Telling[] = []
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
    const told = await tx
      .selectFrom('alert_mails')
      .select(['user_id', 'done_at'])
      .where('alert_id', '=', alert.id)
      .where('phase', '=', 'began')
      .where(({ eb, or }) => or([eb('tries', '>', 0), eb('may_be_told', '=', 1)]))
      .execute()
    // One that may be on its way to the mail server has settled once its lease is over, and `claimMails` sees then whether it was taken.
    for (const { user_id: userId, done_at } of told)
      last.push({ ...alert, userId, dueAt: done_at === null ? nowMs + mailLeaseMs : nowMs })
  }
  await insertRows(tx, 'alert_mails', mailRows('ended', last, nowMs))
}

/** An end that waited while this alert lasted is no news to whom this one's own end is told; nor to anybody where this one does not end well. */
async function dropFormerEnds(
  tx: Tx,
  { id, kind, subject, isGood }: NotifiedAlert & { isGood: boolean },
  nowMs: number,
): Promise<void> {
  const toldOfThis = tx
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
    .$if(isGood, (update) => update.where('user_id', 'in', toldOfThis))
    .execute()
}

/** Of a balance that is low and used up at the same moment only the worse is worth a mail, to whoever is told of the worse for certain. */
function mailRows(phase: AlertMailTable['phase'], tellings: readonly Telling[], nowMs: number) {
  const heardBy = ({ subject, userId }: Telling): string => `${subject} ${userId}`
  const worse = tellings.filter(({ kind, dueAt }) => kind === 'balance_exhausted' && dueAt <= nowMs)
  const implied = new Set(worse.map(heardBy))
  return tellings
    .filter((telling) => telling.kind !== 'balance_low' || !implied.has(heardBy(telling)))
    .map(({ id, userId, dueAt }) => ({ alert_id: id, phase, user_id: userId, due_at: dueAt, done_at: null }))
}

/** Owners of the account; operators for what is nobody's own, and where they are to act. Who has muted the kind is left out. */
async function readAudience(tx: Tx, { kind, accountId }: NotifiedAlert): Promise<string[]> {
  const isOperators = accountId === null || alertTexts[kind].tellsOperators
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

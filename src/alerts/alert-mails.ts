import { placeholderEmail } from '../accounts/accounts.ts'
import { dayMs } from '../clock.ts'
import type { Db, Tx } from '../storage/dialect.ts'
import type { AlertKind, AlertMailTable } from '../storage/operator-tables.ts'
import type { Mode } from '../storage/schema.ts'
import { insertRows, updateRows } from '../storage/sets.ts'
import { alertWords } from './alert-words.ts'

interface ToldAlert {
  id: string
  kind: AlertKind
  accountId: string | null
}

/**
 * Writes down who is told of the begin and the end of alerts, in the transaction that begins and ends them. A good end is told to those who were told of
 * the begin; to whom no mail of the begin has left yet, neither does.
 */
export async function planMails(
  tx: Tx,
  { began, ended }: { began: readonly ToldAlert[]; ended: readonly (ToldAlert & { isGood: boolean })[] },
  nowMs: number,
): Promise<void> {
  const first: MailRow[] = []
  for (const alert of began)
    for (const userId of await readAudience(tx, alert)) first.push(mailRow(alert.id, 'began', userId, nowMs))
  await insertRows(tx, 'alert_mails', first)
  for (const { id, kind, isGood } of ended) {
    await tx
      .updateTable('alert_mails')
      .set({ done_at: nowMs })
      .where('alert_id', '=', id)
      .where('phase', '=', 'began')
      .where('done_at', 'is', null)
      .where('tries', '=', 0)
      .execute()
    if (!isGood || alertWords[kind].ended === null) continue
    const told = await tx
      .selectFrom('alert_mails')
      .select('user_id')
      .where('alert_id', '=', id)
      .where('phase', '=', 'began')
      .where('tries', '>', 0)
      .execute()
    await insertRows(tx, 'alert_mails', told.map((row) => mailRow(id, 'ended', row.user_id, nowMs))) // prettier-ignore
  }
}

type MailRow = ReturnType<typeof mailRow>
const mailRow = (alertId: string, phase: AlertMailTable['phase'], userId: string, dueAt: number) => ({
  alert_id: alertId,
  phase,
  user_id: userId,
  due_at: dueAt,
  done_at: null,
})

/** Owners of the account; operators for what is nobody's own, and where they are to act. Who has muted the kind is left out. */
async function readAudience(tx: Tx, { kind, accountId }: ToldAlert): Promise<string[]> {
  const isOperators = accountId === null || alertWords[kind].tellsOperators
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

/** A mail that is due, with all that it tells. */
export interface DueMail {
  alertId: string
  phase: AlertMailTable['phase']
  userId: string
  tries: number
  to: string
  kind: AlertKind
  accountId: string | null
  accountName: string | null
  mode: Mode | null
  name: string
  said: string
  beganAt: number
  endedAt: number | null
}

/** While one is being sent nobody else takes it; whoever was killed meanwhile leaves it for later. */
const leaseMs = 300_000
/** Nothing waits as long as this for a next try: what is due later was written while the clock was ahead, and is due now. */
const longestWaitMs = dayMs

/**
 * Takes some that are due, for a while. Who they are for is asked anew: of those that would go to somebody who has left the account, is no operator any
 * more, or has muted the kind meanwhile, nothing is sent.
 */
export async function claimMails(tx: Tx, { nowMs, limit }: { nowMs: number; limit: number }): Promise<DueMail[]> {
  const rows = await tx
    .selectFrom('alert_mails as m')
    .innerJoin('alerts as a', 'a.id', 'm.alert_id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .leftJoin('accounts as c', 'c.id', 'a.account_id')
    .leftJoin('account_users as p', (join) =>
      join.onRef('p.account_id', '=', 'a.account_id').onRef('p.user_id', '=', 'm.user_id'),
    )
    .leftJoin('alert_mutes as q', (join) =>
      join.onRef('q.user_id', '=', 'm.user_id').onRef('q.kind', '=', 'a.kind'),
    )
    .select(['p.role', 'u.is_operator', 'q.kind as muted', 'm.alert_id', 'm.phase', 'm.user_id', 'm.tries', 'u.email', 'a.kind', 'a.account_id', 'c.name as account', 'a.mode', 'a.name', 'a.said', 'a.began_at', 'a.ended_at'])
    .where('m.done_at', 'is', null)
    .where(({ eb, or }) => or([eb('m.due_at', '<=', nowMs), eb('m.due_at', '>', nowMs + longestWaitMs)]))
    .orderBy('m.due_at')
    .limit(limit)
    .execute()
  const [going, left] = [rows.filter(isConcerned), rows.filter((row) => !isConcerned(row))]
  const taken = going.map((row) => ({ ...keyOf(row), tries: row.tries + 1, due_at: nowMs + leaseMs }))
  await updateRows(tx, 'alert_mails', ['alert_id', 'phase', 'user_id'], taken)
  await updateRows(tx, 'alert_mails', ['alert_id', 'phase', 'user_id'], left.map((row) => ({ ...keyOf(row), done_at: nowMs })))
  return going.map((row) => ({
    alertId: row.alert_id, phase: row.phase, userId: row.user_id, tries: row.tries + 1, to: row.email, kind: row.kind,
    accountId: row.account_id, accountName: row.account, mode: row.mode, name: row.name, said: row.said, beganAt: row.began_at,
    endedAt: row.ended_at,
  }))
} // prettier-ignore

/** As `readAudience` chooses, of one who was chosen. */
const isConcerned = (row: {
  kind: AlertKind
  account_id: string | null
  role: string | null
  is_operator: number
  muted: AlertKind | null
}): boolean =>
  row.muted === null &&
  (row.role === 'owner' ||
    (row.is_operator === 1 && (row.account_id === null || alertWords[row.kind].tellsOperators)))

const keyOf = ({ alert_id, phase, user_id }: { alert_id: string; phase: string; user_id: string }) => ({
  alert_id,
  phase: phase as AlertMailTable['phase'],
  user_id,
})

/** What became of mails: taken by the mail server, or to be tried again at an instant. */
export async function settleMails(
  tx: Tx,
  settled: readonly (Pick<DueMail, 'alertId' | 'phase' | 'userId'> & {
    doneAt: number | null
    dueAt: number
  })[],
): Promise<void> {
  await updateRows(
    tx,
    'alert_mails',
    ['alert_id', 'phase', 'user_id'],
    settled.map(({ alertId, phase, userId, doneAt, dueAt }) => ({
      alert_id: alertId,
      phase,
      user_id: userId,
      done_at: doneAt,
      due_at: dueAt,
    })),
  )
}

/** Whether any is due: asked before a transaction is begun for it. */
export async function hasDueMails(db: Db, nowMs: number): Promise<boolean> {
  const row = await db
    .selectFrom('alert_mails')
    .select('alert_id')
    .where('done_at', 'is', null)
    .where(({ eb, or }) => or([eb('due_at', '<=', nowMs), eb('due_at', '>', nowMs + longestWaitMs)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

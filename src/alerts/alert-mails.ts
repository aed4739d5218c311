import { dayMs } from '../runtime/clock.ts'
import type { Flag } from '../storage/tables/column-values.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { AlertKind, AlertMailTable } from '../storage/tables/operator-tables.ts'
import type { Mode } from '../storage/tables/schema.ts'
import { updateRows } from '../storage/seam/sets.ts'
import { alertTexts } from './alert-texts.ts'

/** A due mail with its content. */
export interface DueMail {
  alertId: string
  phase: AlertMailTable['phase']
  userId: string
  tries: number
  /**
   * True when an earlier attempt may have been accepted: its result was never stored, or the mail server did
   * not respond.
   */
  mayBeTold: boolean
  to: string
  kind: AlertKind
  subject: string
  accountId: string | null
  accountName: string | null
  mode: Mode | null
  name: string
  said: string
  beganAt: number
  endedAt: number | null
}

/** While a mail is being sent, no other node claims it. After a crash it is due again when the lease ends. */
export const mailLeaseMs = 300_000
/** Delay until it is checked again whether an alert that restarted has ended. */
const recheckMs = 600_000
/** No retry waits longer: a mail due later was stored while the clock was ahead, and is due now. */
const maxWaitMs = dayMs

/**
 * Claims due mails for the duration of the lease. Checks the recipients again: no mail is sent to a user who
 * has left the account, is no longer an operator, or has muted the kind since. Also dropped are the start of
 * an alert that has ended, and the end of an alert whose start was certainly accepted by no mail server.
 *
 * The end of an alert that has restarted waits until it ends again, unless the user was notified of the
 * restart. Otherwise that former end would be the last mail that the user receives.
 */
export async function claimMails(
  tx: Tx,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<DueMail[]> {
  const rows = await readDue(tx, nowMs).limit(limit).execute()
  const dropped = rows.filter((row) => !isWanted(row))
  const postponed = rows.filter((row) => isWanted(row) && hasRestarted(row))
  const claimed = rows.filter((row) => isWanted(row) && !hasRestarted(row))
  // The mail server may accept it before the result is stored, and users who may know of the start are
  // notified of the end.
  const leased = claimed.map((row) => ({
    ...keyOf(row),
    tries: row.tries + 1,
    due_at: nowMs + mailLeaseMs,
    may_be_told: 1 as const,
  }))
  await updateRows(tx, 'alert_mails', ['alert_id', 'phase', 'user_id'], leased)
  await updateRows(
    tx,
    'alert_mails',
    ['alert_id', 'phase', 'user_id'],
    dropped.map((row) => ({ ...keyOf(row), tries: 0, done_at: nowMs })),
  )
  await updateRows(
    tx,
    'alert_mails',
    ['alert_id', 'phase', 'user_id'],
    postponed.map((row) => ({ ...keyOf(row), due_at: nowMs + recheckMs })),
  )
  return claimed.map(dueMailOf)
}

/** Selects due mails, longest due first, with everything that decides whether they are sent. */
const readDue = (tx: Tx, nowMs: number) =>
  tx
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
    .leftJoin('alert_mails as b', (join) =>
      join
        .onRef('b.alert_id', '=', 'm.alert_id')
        .onRef('b.user_id', '=', 'm.user_id')
        .on('b.phase', '=', 'began'),
    )
    .leftJoin('alerts as n', (join) =>
      join.onRef('n.kind', '=', 'a.kind').onRef('n.subject', '=', 'a.subject').on('n.ended_at', 'is', null),
    )
    .leftJoin('alert_mails as t', (join) =>
      join.onRef('t.alert_id', '=', 'n.id').onRef('t.user_id', '=', 'm.user_id').on('t.phase', '=', 'began'),
    )
    .select([
      'n.id as lasting',
      't.done_at as anew_done_at',
      't.tries as anew_tries',
      'b.done_at as begin_done_at',
      'b.tries as begin_tries',
      'b.may_be_told as begin_may_be_told',
      'm.may_be_told',
      'p.role',
      'u.is_operator',
      'q.kind as muted',
      'm.alert_id',
      'm.phase',
      'm.user_id',
      'm.tries',
      'u.email',
      'a.kind',
      'a.account_id',
      'c.name as account',
      'a.mode',
      'a.name',
      'a.said',
      'a.subject',
      'a.began_at',
      'a.ended_at',
    ])
    .where('m.done_at', 'is', null)
    .where(({ eb, or }) => or([eb('m.due_at', '<=', nowMs), eb('m.due_at', '>', nowMs + maxWaitMs)]))
    .orderBy('m.due_at')

type DueRow = Awaited<ReturnType<ReturnType<typeof readDue>['execute']>>[number]

const dueMailOf = (row: DueRow): DueMail => ({
  alertId: row.alert_id,
  phase: row.phase,
  userId: row.user_id,
  tries: row.tries + 1,
  mayBeTold: row.may_be_told === 1,
  to: row.email,
  kind: row.kind,
  accountId: row.account_id,
  accountName: row.account,
  mode: row.mode,
  name: row.name,
  said: row.said,
  subject: row.subject,
  beganAt: row.began_at,
  endedAt: row.ended_at,
})

interface MailState {
  phase: AlertMailTable['phase']
  ended_at: number | null
  begin_done_at: number | null
  begin_tries: number | null
  begin_may_be_told: Flag | null
  /** The open alert with the same key, and the mail about its start to the same user. */
  lasting: string | null
  anew_done_at: number | null
  anew_tries: number | null
  kind: AlertKind
  account_id: string | null
  role: string | null
  is_operator: number
  muted: AlertKind | null
}

/**
 * Returns whether a mail is still wanted: `readAudience` of `plan-mails.ts` would choose the user, and the
 * mail is not obsolete.
 */
const isWanted = (row: MailState): boolean =>
  isCurrent(row) &&
  row.muted === null &&
  (row.role === 'owner' ||
    (row.is_operator === 1 && (row.account_id === null || alertTexts[row.kind].notifiesOperators)))

/**
 * Returns whether a mail is not obsolete: the start of an open alert, or the end of one whose start was or
 * may have been received. Not when the user was notified of the restart.
 */
const isCurrent = (row: MailState): boolean =>
  row.phase === 'began'
    ? row.ended_at === null
    : (row.begin_may_be_told === 1 || wasAccepted(row.begin_done_at, row.begin_tries)) &&
      !wasAccepted(row.anew_done_at, row.anew_tries)

const wasAccepted = (doneAt: number | null, tries: number | null): boolean =>
  doneAt !== null && (tries ?? 0) > 0

const hasRestarted = ({ phase, lasting }: MailState): boolean => phase === 'ended' && lasting !== null

const keyOf = ({ alert_id, phase, user_id }: { alert_id: string; phase: string; user_id: string }) => ({
  alert_id,
  phase: phase as AlertMailTable['phase'],
  user_id,
})

/**
 * Stores the results of mails: accepted by the mail server, failed permanently without a valid attempt, or to
 * be retried at a given time; and whether this or an earlier attempt may have been accepted after all.
 */
export async function settleMails(
  tx: Tx,
  settled: readonly (Pick<DueMail, 'alertId' | 'phase' | 'userId' | 'tries' | 'mayBeTold'> & {
    doneAt: number | null
    dueAt: number
  })[],
): Promise<void> {
  await updateRows(
    tx,
    'alert_mails',
    ['alert_id', 'phase', 'user_id'],
    settled.map(({ alertId, phase, userId, tries, mayBeTold, doneAt, dueAt }) => ({
      alert_id: alertId,
      phase,
      user_id: userId,
      tries,
      done_at: doneAt,
      due_at: dueAt,
      may_be_told: mayBeTold ? 1 : 0,
    })),
  )
}

/** Returns whether any mail is due. Checked before a transaction is begun for it. */
export async function hasDueMails(db: Db, nowMs: number): Promise<boolean> {
  const row = await db
    .selectFrom('alert_mails')
    .select('alert_id')
    .where('done_at', 'is', null)
    .where(({ eb, or }) => or([eb('due_at', '<=', nowMs), eb('due_at', '>', nowMs + maxWaitMs)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

import { dayMs } from '../runtime/clock.ts'
import type { Flag } from '../storage/tables/column-values.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { AlertKind, AlertMailTable } from '../storage/tables/operator-tables.ts'
import type { Mode } from '../storage/tables/schema.ts'
import { updateRows } from '../storage/seam/sets.ts'
import { alertTexts } from './alert-texts.ts'

/** A mail that is due, with all that it tells. */
export interface DueMail {
  alertId: string
  phase: AlertMailTable['phase']
  userId: string
  tries: number
  /** Whether a try before this one may have been taken: what became of it was never written down, or the mail server did not say. */
  mayBeTold: boolean
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
export const mailLeaseMs = 300_000
/** How long until it is asked again whether what has begun anew is over. */
const anewMs = 600_000
/** Nothing waits as long as this for a next try: what is due later was written while the clock was ahead, and is due now. */
const longestWaitMs = dayMs

/**
 * Takes some that are due, for a while. Who they are for is asked anew: of those that would go to somebody who has left the account, is no operator any
 * more, or has muted the kind meanwhile, nothing is sent; nor of a begin that is over, or of the end of what surely no mail server took the begin of. The end
 * of what has begun anew waits until that is over as well, unless its person was told of the new begin: else the last that they hear were the former one.
 */
export async function claimMails(
  tx: Tx,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<DueMail[]> {
  const rows = await readDue(tx, nowMs).limit(limit).execute()
  const left = rows.filter((row) => !isConcerned(row))
  const waiting = rows.filter((row) => isConcerned(row) && hasBegunAnew(row))
  const going = rows.filter((row) => isConcerned(row) && !hasBegunAnew(row))
  // Until it is settled it may be taken, and who may be told of the begin is told of the end.
  const taken = going.map((row) => ({
    ...keyOf(row),
    tries: row.tries + 1,
    due_at: nowMs + mailLeaseMs,
    may_be_told: 1 as const,
  }))
  await updateRows(tx, 'alert_mails', ['alert_id', 'phase', 'user_id'], taken)
  await updateRows(
    tx,
    'alert_mails',
    ['alert_id', 'phase', 'user_id'],
    left.map((row) => ({ ...keyOf(row), tries: 0, done_at: nowMs })),
  )
  await updateRows(
    tx,
    'alert_mails',
    ['alert_id', 'phase', 'user_id'],
    waiting.map((row) => ({ ...keyOf(row), due_at: nowMs + anewMs })),
  )
  return going.map(dueMailOf)
}

/** All that is due, the longest due first, with what decides whether it goes. */
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
      'a.began_at',
      'a.ended_at',
    ])
    .where('m.done_at', 'is', null)
    .where(({ eb, or }) => or([eb('m.due_at', '<=', nowMs), eb('m.due_at', '>', nowMs + longestWaitMs)]))
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
  beganAt: row.began_at,
  endedAt: row.ended_at,
})

interface Concern {
  phase: AlertMailTable['phase']
  ended_at: number | null
  begin_done_at: number | null
  begin_tries: number | null
  begin_may_be_told: Flag | null
  /** The alert of the same name that is open, and the mail that tells this person of its begin. */
  lasting: string | null
  anew_done_at: number | null
  anew_tries: number | null
  kind: AlertKind
  account_id: string | null
  role: string | null
  is_operator: number
  muted: AlertKind | null
}

/** As `readAudience` of `plan-mails.ts` chooses, of one who was chosen, while it is still news. */
const isConcerned = (row: Concern): boolean =>
  isNews(row) &&
  row.muted === null &&
  (row.role === 'owner' ||
    (row.is_operator === 1 && (row.account_id === null || alertTexts[row.kind].tellsOperators)))

/** A begin that is not over yet, or the end of one that was told or may have been; not where its person was told that it has begun anew. */
const isNews = (row: Concern): boolean =>
  row.phase === 'began'
    ? row.ended_at === null
    : (row.begin_may_be_told === 1 || isTaken(row.begin_done_at, row.begin_tries)) &&
      !isTaken(row.anew_done_at, row.anew_tries)

const isTaken = (doneAt: number | null, tries: number | null): boolean => doneAt !== null && (tries ?? 0) > 0

const hasBegunAnew = ({ phase, lasting }: Concern): boolean => phase === 'ended' && lasting !== null

const keyOf = ({ alert_id, phase, user_id }: { alert_id: string; phase: string; user_id: string }) => ({
  alert_id,
  phase: phase as AlertMailTable['phase'],
  user_id,
})

/**
 * What became of mails: taken by the mail server, given up with no try that counts, or to be tried again at an instant; and whether this try or one
 * before it may have been taken all the same.
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

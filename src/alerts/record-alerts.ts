import type { Ids } from '../runtime/ids.ts'
import { recordEvents } from '../messages/core/events.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { AlertKind } from '../storage/tables/operator-tables.ts'
import { insertRows, updateRows } from '../storage/seam/sets.ts'
import { planMails } from './plan-mails.ts'
import { type AlertRule, alertKey, type Condition } from './condition.ts'
import { type AlertDecision, decideAlerts, type KnownAlert } from './decide-alerts.ts'

export interface AlertTimes {
  nowMs: number
  coolDownMs: number
}

export interface StoredAlert extends KnownAlert {
  accountId: string | null
  beganAt: number
}

/** Returns the alerts of these kinds that are open, or ended within the cool-down. */
export async function readKnownAlerts(
  db: Db | Tx,
  kinds: readonly AlertKind[],
  { nowMs, coolDownMs }: AlertTimes,
): Promise<StoredAlert[]> {
  const rows = await db
    .selectFrom('alerts')
    .select(['id', 'kind', 'subject', 'account_id', 'began_at', 'ended_at'])
    .where('kind', 'in', kinds)
    .where(({ eb, or }) => or([eb('ended_at', 'is', null), eb('ended_at', '>', nowMs - coolDownMs)]))
    .execute()
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    accountId: row.account_id,
    beganAt: row.began_at,
    endedAt: row.ended_at,
  }))
}

/**
 * Begins and ends the alerts of a rule, with their mails and events, in one transaction: each is reported
 * once, after any restart and on any node. Decides again by the rows that this transaction reads. Returns
 * what it did.
 */
export async function recordAlerts(
  tx: Tx,
  deps: { ids: Ids; sendsMail: boolean },
  { kinds }: Pick<AlertRule, 'kinds'>,
  { conditions, recovered }: { conditions: readonly Condition[]; recovered: ReadonlySet<string> },
  times: AlertTimes,
): Promise<AlertDecision<StoredAlert>> {
  const decision = decideAlerts(conditions, await readKnownAlerts(tx, kinds, times), times)
  const begun = decision.begin.map((condition) => ({ id: deps.ids('alr'), condition }))
  await insertRows(
    tx,
    'alerts',
    begun.map(({ id, condition }) => ({
      id,
      kind: condition.kind,
      subject: condition.subject,
      account_id: condition.accountId,
      mode: condition.mode,
      name: condition.name,
      said: condition.said,
      began_at: times.nowMs,
      ended_at: null,
    })),
  )
  await updateRows(
    tx,
    'alerts',
    ['id'],
    // The duration of an alert that began while the clock was ahead is unknown.
    decision.end.map(({ id, beganAt }) => ({ id, ended_at: Math.max(beganAt, times.nowMs) })),
  )
  await recordEvents(tx, decision.begin.flatMap(eventOf(times.nowMs)))
  if (deps.sendsMail) {
    const notified = begun.map(({ id, condition }) => ({ ...condition, id }))
    const ended = decision.end.map((alert) => ({ ...alert, isGood: recovered.has(alert.id) }))
    await planMails(tx, { began: notified, ended }, times.nowMs)
  }
  return decision
}

const eventOf =
  (atMs: number) =>
  ({ event, accountId, mode, subject }: Condition) =>
    event === undefined || accountId === null
      ? []
      : [{ ...event, accountId, mode: mode ?? ('live' as const), atMs, subject }]

/** Returns the keys of open alerts, for rules with a lower threshold for them. */
export const openKeys = (known: readonly KnownAlert[]): ReadonlySet<string> =>
  new Set(known.filter(({ endedAt }) => endedAt === null).map(alertKey))

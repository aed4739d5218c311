import type { AccountEvent } from '../messages/core/events.ts'
import type { Db } from '../storage/seam/dialect.ts'
import type { AlertKind } from '../storage/tables/operator-tables.ts'
import type { Mode } from '../storage/tables/schema.ts'

/** A condition that users are notified of. As long as it lasts it is one alert, from start to end. */
export interface Condition {
  kind: AlertKind
  /** ID of the subject, such as a device. Kind and subject identify an open alert. */
  subject: string
  /** Account whose owners are notified; null notifies the operators. */
  accountId: string | null
  mode: Mode | null
  /** Name of the subject. */
  name: string
  /** What was found, one or two sentences for people. */
  said: string
  /** Webhook event at the start, for kinds that have one. */
  event?: Pick<AccountEvent, 'type' | 'facts'>
}

/** Finds all current conditions of its kinds. The cost depends on the number of problems, not of objects. */
export interface AlertRule {
  kinds: readonly AlertKind[]
  /** Interval between checks. */
  everyMs: number
  find(db: Db, nowMs: number, open: ReadonlySet<string>): Promise<Condition[]>
  /**
   * Returns the ended alerts that recovered: only for these is the end notified. An alert ends without a mail
   * when its subject was removed, disabled or closed, or when no success was seen since.
   */
  findRecovered(db: Db, ended: readonly EndedAlert[], nowMs: number): Promise<ReadonlySet<string>>
}

/** An ended alert as passed to `findRecovered`, which returns IDs. */
export interface EndedAlert {
  id: string
  kind: AlertKind
  subject: string
}

/** Returns the key of an open alert. */
export const alertKey = ({ kind, subject }: { kind: AlertKind; subject: string }): string =>
  `${kind} ${subject}`

import type { AccountEvent } from '../messages/core/events.ts'
import type { Db } from '../storage/seam/dialect.ts'
import type { AlertKind } from '../storage/tables/operator-tables.ts'
import type { Mode } from '../storage/tables/schema.ts'

/** Something that people are told of, as it is at this moment: what lasts is one alert, from its begin to its end. */
export interface Condition {
  kind: AlertKind
  /** What it is about, such as the id of a device. With the kind it names one alert at a time. */
  subject: string
  /** Whose owners are told; null tells the operators. */
  accountId: string | null
  mode: Mode | null
  /** What the subject is called. */
  name: string
  /** What was seen, as a sentence or two for people. */
  said: string
  /** What programs are told at its begin, where they are told of such things. */
  event?: Pick<AccountEvent, 'type' | 'facts'>
}

/** Finds everything of some kinds that holds at an instant. Bounded by what is wrong, not by what there is. */
export interface AlertRule {
  kinds: readonly AlertKind[]
  /** How often it is looked at. */
  everyMs: number
  find(db: Db, nowMs: number, open: ReadonlySet<string>): Promise<Condition[]>
  /**
   * Of alerts whose condition does not hold any more those that went well: only of them it is told that it is over. What ended because somebody removed,
   * disabled or closed what it was about, or nothing was seen to go well since, ends in silence.
   */
  findRecovered(db: Db, ended: readonly EndedAlert[], nowMs: number): Promise<ReadonlySet<string>>
}

/** By what an alert is asked about at its end; `findRecovered` gives ids. */
export interface EndedAlert {
  id: string
  kind: AlertKind
  subject: string
}

/** The name of an alert among those that are open. */
export const alertKey = ({ kind, subject }: { kind: AlertKind; subject: string }): string =>
  `${kind} ${subject}`

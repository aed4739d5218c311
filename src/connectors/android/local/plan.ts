import { hourMs, minuteMs } from '../../../runtime/clock.ts'
import type { Report } from '../ports.ts'

/** A message that the phone has or may have, until its last state is known. Times are monotonic. */
export interface Watched {
  /** The state that the phone reported last; null before the first one. */
  state: Report['state'] | null
  changedMs: number
  askedMs: number
  /** The end of its validity by the wall clock; null while unknown. */
  validUntil: number | null
}

export interface VisitSettings {
  visitMs: number
  visitIdleMs: number
}

/** Receipts of Android are valid this long at most (the networks' usual three days). */
const receiptMs = 72 * hourMs
/** The longest wait for a receipt of a phone that is switched off. */
const longestAskMs = 15 * minuteMs
/** The app may not have run for this long: then its inbox is compared with that of Android. */
const silenceMs = 15 * minuteMs
/** Entries that are asked for one by one; more cost a page. */
const mostSingly = 3

/** The steps of a visit, always in this order (P9: what was received is stored before anything is submitted). */
export type Step = 'meet' | 'refresh' | 'inbox' | 'list' | 'states' | 'offers'

/**
 * Returns the steps of a visit. The first one since the start of this process lists what the phone has before
 * it offers anything (P13).
 */
export function stepsOf({
  isFirst,
  isMet,
  silentMs,
}: {
  isFirst: boolean
  /** The phone at the address has proven to be the one that was connected, and its health is recent. */
  isMet: boolean
  /** Time since the last successful visit; null without one. */
  silentMs: number | null
}): Step[] {
  return [
    ...(isMet ? [] : (['meet'] as const)),
    ...(silentMs !== null && silentMs > silenceMs ? (['refresh'] as const) : []),
    'inbox',
    ...(isFirst ? (['list'] as const) : []),
    'states',
    'offers',
  ]
}

/** Returns what is known after a report; null once nothing more is expected. */
export function afterReport(before: Watched, state: Report['state'], nowMs: number): Watched | null {
  if (state === 'delivered' || state === 'failed' || state === 'canceled') return null
  const changedMs = state === before.state ? before.changedMs : nowMs
  if (state === 'sent' && nowMs - changedMs > receiptMs) return null
  return { ...before, state, changedMs, askedMs: nowMs }
}

/** Returns when the state of a message is asked for again: soon while it is fresh, seldom for an old receipt. */
function askAtMs({ state, changedMs, askedMs }: Watched, { visitMs }: VisitSettings): number {
  if (state !== 'sent') return askedMs + visitMs
  return askedMs + Math.min(longestAskMs, Math.max(visitMs, (askedMs - changedMs) / 8))
}

/** Returns the messages whose state is due, and whether a page is cheaper than one call for each. */
export function dueStates(
  watched: ReadonlyMap<string, Watched>,
  settings: VisitSettings,
  nowMs: number,
): { ids: readonly string[]; by: 'each' | 'page' } {
  const ids = [...watched].filter(([, each]) => askAtMs(each, settings) <= nowMs).map(([id]) => id)
  return { ids, by: ids.length > mostSingly ? 'page' : 'each' }
}

/** Returns how long to wait for the next visit. After a failed one, messages do not shorten the wait. */
export function nextVisitMs(
  watched: ReadonlyMap<string, Watched>,
  settings: VisitSettings,
  { nowMs, hasFailed, hasBacklog }: { nowMs: number; hasFailed: boolean; hasBacklog: boolean },
): number {
  const { visitMs, visitIdleMs } = settings
  if (hasFailed) return visitIdleMs
  const first = Math.min(Number.POSITIVE_INFINITY, ...[...watched.values()].map((each) => askAtMs(each, settings))) // prettier-ignore
  return Math.max(visitMs, Math.min(visitIdleMs, hasBacklog ? 0 : first - nowMs))
}

/**
 * The settings that a visited phone must have: its own limit off, oldest first, and a log that outlives every
 * repeat of a submission (0 or none keeps it permanently). They differ from those of a new installation, so
 * they also prove that the data of the app still exist.
 */
const marks = { limit_period: 'Disabled', processing_order: 'FIFO', log_lifetime_days: 30 } as const

/** Returns the settings that must be changed; null while the phone has all of them. */
export function missingMarks(messages: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  const missing = Object.entries(marks).filter(([name, value]) => messages[name] !== value)
  return missing.length === 0 ? null : Object.fromEntries(missing)
}

import type { Db } from '../../storage/seam/dialect.ts'
import type { AttemptState, MessageStatus } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { HistoryOwner } from './history-query.ts'
import { type MessageRow, sentAtOf } from '../core/message-store.ts'

/** A state that a message reached, when, and by which attempt on which device. */
export interface TimelineEntry {
  status: MessageStatus
  atMs: number
  attemptId: string | null
  deviceId: string | null
}

/** What the timeline needs to know of an attempt. */
export interface TimelineAttempt {
  id: string
  device_id: string
  state: AttemptState
  started_at: number
  ended_at: number | null
}

/** The newest attempts shown of one message. Busy devices may make many; the last ones tell what became of it. */
const maxAttemptsShown = 50

const attemptsOf = {
  sql: `select message_id, id, device_id, state, started_at, ended_at from attempts
        where account_id = :account and mode = :mode and message_id = :message order by number desc limit ${maxAttemptsShown}`,
  inputs: ['account', 'mode', 'message'],
} as const

/** The timelines of messages of one owner, in their order. One round trip for all of them. */
export async function readTimelines(
  db: Db,
  owner: HistoryOwner,
  messages: readonly MessageRow[],
): Promise<TimelineEntry[][]> {
  const tried = messages.filter((message) => message.attempts > 0)
  const rows = await selectEach<TimelineAttempt & { message_id: string }>(
    db,
    attemptsOf,
    tried.map((message) => [owner.accountId, owner.mode, message.id]),
  )
  const attempts = Map.groupBy(rows, (row) => row.message_id)
  return messages.map((message) => timelineOf(message, (attempts.get(message.id) ?? []).toReversed()))
}

/**
 * One entry for each state reached, oldest first, told by the times on the rows. `attempts` come in their order. A message that went back
 * to the queue shows it where that attempt ended; a correction shows the final state that it corrected, too.
 */
export function timelineOf(message: MessageRow, attempts: readonly TimelineAttempt[]): TimelineEntry[] {
  const entries: TimelineEntry[] = []
  const reached = (
    status: MessageStatus,
    atMs: number | null,
    attempt: TimelineAttempt | null = null,
  ): void => {
    if (atMs !== null)
      entries.push({ status, atMs, attemptId: attempt?.id ?? null, deviceId: attempt?.device_id ?? null })
  }
  if (message.direction === 'inbound') {
    return [
      { status: message.status, atMs: message.created_at, attemptId: null, deviceId: message.device_id },
    ]
  }
  reached(message.send_at === null ? 'queued' : 'scheduled', message.created_at)
  if (message.send_at !== null && hasBeenQueued(message, attempts))
    reached('queued', Math.max(message.send_at, message.created_at))

  let current: TimelineAttempt | null = null
  for (const [i, attempt] of attempts.entries()) {
    reached('sending', attempt.started_at, attempt)
    const wentBack = i < attempts.length - 1 || isBackInQueue(message, attempt)
    if (wentBack) reached('queued', attempt.ended_at, attempt)
    current = wentBack ? null : attempt
  }
  const corrected = message.corrected === 1
  if (corrected)
    reached(current?.state === 'refused' ? 'failed' : 'unconfirmed', message.finalized_at, current)
  // While a message waits only its lost first try can be reported on.
  const reported = current ?? (message.sent_at === null ? null : attempts.findLast(isLost)) ?? null
  // Of a correction it is told when that came: a state that it corrected stands before it.
  reached('sent', corrected ? message.sent_at : sentAtOf(message), reported)
  if (message.status !== 'sent') reached(message.status, lastReachedAt(message), reported)
  // The sort is stable: what happened in one millisecond keeps the order in which it was told.
  return entries.toSorted((a, b) => a.atMs - b.atMs)
}

function lastReachedAt(message: MessageRow): number | null {
  if (message.corrected === 1) return message.settled_at
  return (message.status === 'delivered' ? message.reported_delivered_at : null) ?? message.finalized_at
}

/** One that was canceled before its time never waited for a device. */
const hasBeenQueued = (message: MessageRow, attempts: readonly TimelineAttempt[]): boolean =>
  attempts.length > 0 ||
  message.status === 'queued' ||
  (message.finalized_at !== null && message.finalized_at >= (message.send_at ?? 0))

const isLost = (attempt: TimelineAttempt): boolean => attempt.state === 'unknown'

/** Whether the last attempt of a message was not known to be taken, and the message waited again (or still does). */
const isBackInQueue = (message: MessageRow, last: TimelineAttempt): boolean =>
  last.ended_at !== null &&
  last.state !== 'accepted' &&
  (message.status === 'queued' || (message.finalized_at !== null && message.finalized_at > last.ended_at))

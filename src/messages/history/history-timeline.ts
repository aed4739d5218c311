import type { Db } from '../../storage/seam/dialect.ts'
import type { AttemptState, MessageStatus } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { HistoryOwner } from './history-query.ts'
import { type MessageRow, sentAtOf } from '../core/message-store.ts'

/** A status that a message reached, when, and by which attempt on which device. */
export interface TimelineEntry {
  status: MessageStatus
  atMs: number
  attemptId: string | null
  deviceId: string | null
}

/** The columns of an attempt that the timeline needs. */
export interface TimelineAttempt {
  id: string
  device_id: string
  state: AttemptState
  started_at: number
  ended_at: number | null
}

/**
 * The newest attempts read of one message. A busy device can refuse often; the last attempts show the
 * outcome.
 */
const maxAttemptsShown = 50

const attemptsOf = {
  sql: `select message_id, id, device_id, state, started_at, ended_at from attempts
        where account_id = :account and mode = :mode and message_id = :message order by number desc limit ${maxAttemptsShown}`,
  inputs: ['account', 'mode', 'message'],
} as const

/** Reads the timelines of messages of one owner, in their order, in one round trip. */
export async function readTimelines(
  db: Db,
  owner: HistoryOwner,
  messages: readonly MessageRow[],
): Promise<TimelineEntry[][]> {
  const attempted = messages.filter((message) => message.attempts > 0)
  const rows = await selectEach<TimelineAttempt & { message_id: string }>(
    db,
    attemptsOf,
    attempted.map((message) => [owner.accountId, owner.mode, message.id]),
  )
  const attempts = Map.groupBy(rows, (row) => row.message_id)
  return messages.map((message) => timelineOf(message, (attempts.get(message.id) ?? []).toReversed()))
}

/**
 * Builds one entry for each status reached, oldest first, from the times on the rows. `attempts` must be in
 * their order. A requeued message shows it where its attempt ended; a correction also shows the final status
 * that it corrected.
 */
export function timelineOf(message: MessageRow, attempts: readonly TimelineAttempt[]): TimelineEntry[] {
  const entries: TimelineEntry[] = []
  const add = (status: MessageStatus, atMs: number | null, attempt: TimelineAttempt | null = null): void => {
    if (atMs !== null)
      entries.push({ status, atMs, attemptId: attempt?.id ?? null, deviceId: attempt?.device_id ?? null })
  }
  if (message.direction === 'inbound') {
    return [
      { status: message.status, atMs: message.created_at, attemptId: null, deviceId: message.device_id },
    ]
  }
  add(message.send_at === null ? 'queued' : 'scheduled', message.created_at)
  if (message.send_at !== null && hasBeenQueued(message, attempts))
    add('queued', Math.max(message.send_at, message.created_at))

  let current: TimelineAttempt | null = null
  for (const [i, attempt] of attempts.entries()) {
    add('sending', attempt.started_at, attempt)
    const isRequeued = i < attempts.length - 1 || isBackInQueue(message, attempt)
    if (isRequeued) add('queued', attempt.ended_at, attempt)
    current = isRequeued ? null : attempt
  }
  const corrected = message.corrected === 1
  if (corrected) add(current?.state === 'refused' ? 'failed' : 'unconfirmed', message.finalized_at, current)
  // While a message is queued, only its first attempt, with unknown outcome, can be reported on.
  const reported = current ?? (message.sent_at === null ? null : attempts.findLast(isLost)) ?? null
  // A correction is shown at its own time, after the status that it corrected.
  add('sent', corrected ? message.sent_at : sentAtOf(message), reported)
  if (message.status !== 'sent') add(message.status, lastReachedAt(message), reported)
  // The sort is stable: entries of one millisecond keep the order in which they were reported.
  return entries.toSorted((a, b) => a.atMs - b.atMs)
}

function lastReachedAt(message: MessageRow): number | null {
  if (message.corrected === 1) return message.settled_at
  return (message.status === 'delivered' ? message.reported_delivered_at : null) ?? message.finalized_at
}

/** A message that was canceled before its send time was never queued. */
const hasBeenQueued = (message: MessageRow, attempts: readonly TimelineAttempt[]): boolean =>
  attempts.length > 0 ||
  message.status === 'queued' ||
  (message.finalized_at !== null && message.finalized_at >= (message.send_at ?? 0))

const isLost = (attempt: TimelineAttempt): boolean => attempt.state === 'unknown'

/** True if the last attempt was not accepted, and the message was queued after it (or still is). */
const isBackInQueue = (message: MessageRow, last: TimelineAttempt): boolean =>
  last.ended_at !== null &&
  last.state !== 'accepted' &&
  (message.status === 'queued' || (message.finalized_at !== null && message.finalized_at > last.ended_at))

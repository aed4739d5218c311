import { allDone } from '../../runtime/all-done.ts'
import { dayMs } from '../../runtime/clock.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { MessageStatus } from '../../storage/tables/schema.ts'
import { updateRows } from '../../storage/seam/sets.ts'
import { deferredKey } from './deferred.ts'
import type { Change } from '../core/change-number.ts'
import { recordMessageEvents } from '../core/events.ts'
import { recordChanges } from '../core/message-changes.ts'
import { type MessageKey, type MessageState, readStates } from '../core/message-store.ts'

/**
 * The result of moving one message to another send time.
 * - `moved`: it waits for its new time.
 * - `too_late`: it was due, or is final.
 * - `not_found`: the account has no such message.
 */
export interface SendTimeChange {
  messageId: string
  result: 'moved' | 'too_late' | 'not_found'
  /** Its present status; null if it does not exist. */
  status: MessageStatus | null
  sendAtMs: number | null
}

/**
 * How far in the future a message can be scheduled: enough to plan, but not to store texts for another
 * season.
 */
export const longestAheadMs = 30 * dayMs

/**
 * Changes the send time of scheduled messages, as one unit; their validity ends later or earlier by the same
 * amount. A time in the past means now. Returns one result for each key, in their order: a message either
 * waits for its new time, or was no longer scheduled and is unchanged. Endpoints receive the new time as
 * another `message.scheduled` event.
 */
export async function moveMessages(
  tx: Tx,
  unit: Change,
  keys: readonly MessageKey[],
  sendAtMs: number,
): Promise<SendTimeChange[]> {
  const known = new Map((await readStates(tx, keys)).map((state) => [nameOf(state), state]))
  const moved = new Map(
    [...known]
      .filter(([, { status }]) => status === 'scheduled')
      .map(([name, state]) => [name, movedTo(state, Math.max(sendAtMs, unit.nowMs), unit)]),
  )
  const states = [...moved.values()]
  await allDone([
    writeTimes(tx, states),
    writePlaces(tx, states),
    recordMessageEvents(
      tx,
      states.map((message) => ({ message, previousStatus: 'scheduled', correction: false })),
    ),
    recordChanges(tx, unit, states),
  ])
  return keys.map(({ accountId, mode, messageId }) => {
    const name = nameOf({ account_id: accountId, mode, id: messageId })
    const now = moved.get(name) ?? known.get(name)
    const result = moved.has(name) ? 'moved' : known.has(name) ? 'too_late' : 'not_found'
    return { messageId, result, status: now?.status ?? null, sendAtMs: now?.send_at ?? null }
  })
}

const nameOf = ({ account_id, mode, id }: Pick<MessageState, 'account_id' | 'mode' | 'id'>): string =>
  `${account_id}/${mode}/${id}`

function movedTo(message: MessageState, sendAtMs: number, unit: Change): MessageState {
  const validityMs = (message.expires_at as number) - (message.send_at as number)
  return {
    ...message,
    send_at: sendAtMs,
    expires_at: sendAtMs + validityMs,
    sequence: message.sequence + 1,
    updated_at: unit.atMs,
  }
}

const writeTimes = (tx: Tx, moved: readonly MessageState[]): Promise<number> =>
  updateRows(
    tx,
    'messages',
    ['account_id', 'mode', 'id'],
    moved.map(({ account_id, mode, id, send_at, expires_at, sequence, updated_at }) => ({
      account_id,
      mode,
      id,
      send_at,
      expires_at,
      sequence,
      updated_at,
    })),
  )

const writePlaces = (tx: Tx, moved: readonly MessageState[]): Promise<number> =>
  updateRows(
    tx,
    'deferred',
    deferredKey,
    moved.map(({ account_id, mode, id, send_at, expires_at }) => ({
      account_id,
      mode,
      message_id: id,
      wake_at: send_at as number,
      expires_at: expires_at as number,
    })),
  )

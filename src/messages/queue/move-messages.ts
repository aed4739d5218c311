import { allDone } from '../../runtime/all-done.ts'
import { dayMs } from '../../runtime/clock.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { MessageStatus } from '../../storage/tables/schema.ts'
import { updateRows } from '../../storage/seam/sets.ts'
import { deferredKey } from './deferred.ts'
import { recordMessageEvents } from '../core/events.ts'
import { type MessageKey, type MessageState, readStates } from '../core/message-store.ts'

/**
 * What became of the wish to send one message at another time.
 * - `moved`: it waits for its new time.
 * - `too_late`: its time had come, or it is final.
 * - `not_found`: the account has no such message.
 */
export interface Moved {
  messageId: string
  result: 'moved' | 'too_late' | 'not_found'
  /** Its status now; null when there is none. */
  status: MessageStatus | null
  sendAtMs: number | null
}

/** As far ahead as a send may lie: a plan, and no store of texts for another season. */
export const longestAheadMs = 30 * dayMs

/**
 * Gives scheduled messages another time, as one unit; the end of their validity moves by as much. A time that has passed means at once. Gives one
 * answer for each name, in their order: it either waits for its new time, or it was no longer scheduled and is as it was. Endpoints are told of
 * the new time, as of one that was scheduled again.
 */
export async function moveMessages(
  tx: Tx,
  keys: readonly MessageKey[],
  { sendAtMs, nowMs }: { sendAtMs: number; nowMs: number },
): Promise<Moved[]> {
  const known = new Map((await readStates(tx, keys)).map((state) => [nameOf(state), state]))
  const moved = new Map(
    [...known]
      .filter(([, { status }]) => status === 'scheduled')
      .map(([name, state]) => [name, movedTo(state, Math.max(sendAtMs, nowMs), nowMs)]),
  )
  const states = [...moved.values()]
  await allDone([
    writeTimes(tx, states),
    writePlaces(tx, states),
    recordMessageEvents(
      tx,
      states.map((message) => ({ message, previousStatus: 'scheduled', correction: false })),
    ),
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

function movedTo(message: MessageState, sendAtMs: number, nowMs: number): MessageState {
  const validityMs = (message.expires_at as number) - (message.send_at as number)
  return {
    ...message,
    send_at: sendAtMs,
    expires_at: sendAtMs + validityMs,
    sequence: message.sequence + 1,
    updated_at: Math.max(nowMs, message.updated_at),
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
    moved.map(({ account_id, mode, id, send_at, expires_at, updated_at }) => ({
      account_id,
      mode,
      message_id: id,
      wake_at: send_at as number,
      expires_at: expires_at as number,
      changed_at: updated_at,
    })),
  )

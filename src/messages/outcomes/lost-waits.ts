import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { MessageStatus, Mode } from '../../storage/tables/schema.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import type { Change } from '../core/change-number.ts'
import { type MessageState, readStates } from '../core/message-store.ts'
import { closeReceipts } from './close-receipts.ts'
import { idsOf, promisesReceipts, readAttempts, type StoredAttempt } from '../core/evidence-store.ts'
import { moveByEvidence } from './move-by-evidence.ts'

/** A place among the messages of a wallet: after this ID. */
export interface LostWaitMark {
  accountId: string
  mode: Mode
  afterId: string
}

interface Row {
  id: string
  status: MessageStatus
  sent_at: number | null
  finalized_at: number | null
}

/** By the primary key alone: an index of what is sent and not final would cost every message two changes of it. */
const inOrder = {
  sql: `select id, status, sent_at, finalized_at from messages where account_id = :account and mode = :mode and id > :after order by id limit :most`,
  inputs: ['account', 'mode', 'after', 'most'],
} as const

const openOf = {
  sql: `select message_id from receipts_expected
        where account_id = :account and mode = :mode and sent_at = :sent and message_id = :message and closed_at is null limit 1`,
  inputs: ['account', 'mode', 'sent', 'message'],
} as const

/**
 * Reads the next `most` messages of a wallet. Returns the IDs of those that were sent before `sentBeforeMs` and have no
 * end, how many were read, and the last one.
 */
export async function readOverdue(
  db: Db,
  { accountId, mode, afterId }: LostWaitMark,
  { sentBeforeMs, most }: { sentBeforeMs: number; most: number },
): Promise<{ overdue: string[]; read: number; lastId: string | undefined }> {
  const page = await selectEach<Row>(db, inOrder, [[accountId, mode, afterId, most]])
  const overdue = page.filter(
    ({ status, sent_at, finalized_at }) =>
      status === 'sent' && finalized_at === null && (sent_at ?? 0) < sentBeforeMs,
  )
  return { overdue: overdue.map(({ id }) => id), read: page.length, lastId: page.at(-1)?.id }
}

/**
 * Ends those of these messages that are sent, and for whose receipts no row waits: nothing else would end them. The parts
 * of which nothing was reported are lost. Returns the messages that moved.
 */
export async function endLostWaits(
  tx: Tx,
  unit: Change,
  { accountId, mode }: Omit<LostWaitMark, 'afterId'>,
  ids: readonly string[],
): Promise<MessageState[]> {
  const read = await readStates(
    tx,
    ids.map((messageId) => ({ accountId, mode, messageId })),
  )
  const sent = read.filter(({ status, finalized_at }) => status === 'sent' && finalized_at === null)
  const rows = await selectEach<{ message_id: string }>(
    tx,
    openOf,
    sent.map(({ id, sent_at }) => [accountId, mode, sent_at, id]),
  )
  const waiting = new Set(rows.map(({ message_id }) => message_id))
  const lost = sent.filter(({ id }) => !waiting.has(id))
  const attempts = await readAttempts(
    tx,
    lost.map(({ id }) => ({ accountId, mode, messageId: id })),
  )
  const taken = lost.flatMap((message) => {
    const all = attempts.get(message.id) ?? []
    const last = all.findLast(({ state }) => state === 'accepted')
    return last === undefined ? [] : [{ message, all, parts: silentParts(last) }]
  })
  const closed = await closeReceipts(
    tx,
    unit,
    taken.flatMap(({ parts }) => parts),
  )
  // Nothing of them is awaited.
  const others = taken.filter(({ parts }) => parts.length === 0)
  const moved = await moveByEvidence(
    tx,
    unit,
    others.map(({ message, all }) => ({
      message,
      attempts: all.map(withoutEmptyPromise),
      standing: { waits: null, end: null },
      atMs: unit.nowMs,
    })),
  )
  return [...closed, ...moved.flatMap(({ state }) => state ?? [])]
}

/** Without an ID no receipt would fit. */
const withoutEmptyPromise = (attempt: StoredAttempt): StoredAttempt =>
  attempt.network_ids === null ? { ...attempt, receipt_expected: 0 } : attempt

/** The parts of an accepted attempt of which nothing was reported. */
function silentParts(attempt: StoredAttempt) {
  if (!promisesReceipts(attempt)) return []
  const reported = new Set(
    (attempt.part_reports === null ? [] : readJson(attempt.part_reports)).flatMap(({ ids }) => ids),
  )
  const ids = [...new Set(idsOf(attempt.network_ids))]
  return ids
    .filter((id) => !reported.has(id))
    .map((networkId) => ({
      networkId,
      deviceId: attempt.device_id,
      accountId: attempt.account_id,
      mode: attempt.mode,
      messageId: attempt.message_id,
      attemptNumber: attempt.number,
      wireParts: ids.length,
    }))
}

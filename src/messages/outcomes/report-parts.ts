import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { deleteRows, insertRows, updateRows } from '../../storage/seam/sets.ts'
import type { PartReport } from '../../storage/tables/json-columns.ts'
import type { Change } from '../core/change-number.ts'
import type { MessageState } from '../core/message-store.ts'
import { withOpenAttempts } from '../core/open-attempt.ts'
import { dequeueFinal } from '../queue/dequeue.ts'
import { closeWaits } from './close-waits.ts'
import { readAttempts, type StoredAttempt, withReport, writeAttempts } from '../core/evidence-store.ts'
import { endOf, type Moved, moveByEvidence, type Reported } from './move-by-evidence.ts'
import { type Awaited, type ExpectedRow, partKey, type ReceiptWord } from './receipt-readings.ts'
import { isUnknownPart } from './unknown-parts.ts'

/** Omitted if it was not reported. */
export const arrivalOf = ({ deliveredAt }: Pick<ReceiptWord, 'deliveredAt'>) =>
  deliveredAt === undefined ? {} : { deliveredAt }

/**
 * Raises what is known of parts by receipts, and moves their messages to what all their evidence says. A receipt may be
 * about an earlier attempt than the last, also while the message waits in the queue for its next one (`verdictOf`). Returns
 * the messages that moved.
 */
export async function reportParts(tx: Tx, unit: Change, told: readonly Awaited[]): Promise<MessageState[]> {
  const found = firstOfEach(told)
  await withOpenAttempts(
    tx,
    found.map(({ row }) => row),
  )
  // Where a receipt came before, the attempt may keep what it told.
  const isPlain = ({ row }: Awaited): boolean =>
    row.attempts === 1 && row.wire_parts === 1 && row.sent_at !== null && row.expected_until === null
  const others = found.filter((each) => !isPlain(each))
  const stored = await readAttempts(
    tx,
    others.map(({ row }) => ({ accountId: row.account_id, mode: row.mode, messageId: row.id })),
  )
  const groups = [...Map.groupBy(found, ({ row }) => row.id).values()]
  const reported = groups.map((about) => reportedOf(about, stored.get((about[0] as Awaited).row.id)))
  const changed = reported.flatMap(({ attempts, before }) =>
    before === undefined ? [] : attempts.filter((attempt, i) => attempt !== before[i]),
  )
  const moved = await moveByEvidence(tx, unit, reported, (moves) =>
    allDone([writeAttempts(tx, changed), endParts(tx, found, moves)]),
  )
  const states = moved.flatMap(({ state }) => state ?? [])
  const ended = new Set(others.map(({ row }) => row.id))
  await closeWaits(
    tx,
    states.filter(
      ({ id, finalized_at, sent_at }) => ended.has(id) && finalized_at !== null && sent_at !== null,
    ),
  )
  // An earlier attempt arrived after all: there is no next one (P6).
  const arrivedWhileQueued = reported.filter(
    ({ message }, i) => message.status === 'queued' && (moved[i]?.state ?? null) !== null,
  )
  if (arrivedWhileQueued.length > 0)
    await dequeueFinal(
      tx,
      arrivedWhileQueued.map(({ message }) => message),
    )
  return states
}

/**
 * What arrived is no longer expected; any other word may be followed by a better one. The place of a part of unknown outcome
 * ends with its first receipt: from then on the part is found by the ID that the receipt named, and a receipt with another
 * ID is about another part.
 */
async function endParts(tx: Tx, found: readonly Awaited[], moves: readonly Moved[]): Promise<void> {
  const sentAt = new Map(moves.flatMap(({ state }) => (state === null ? [] : [[state.id, state.sent_at]])))
  const keyOf = ({ row }: Awaited) => ({
    network_id: row.network_id,
    device_id: row.expected_by,
    account_id: row.account_id,
    mode: row.mode,
    message_id: row.id,
    attempt_number: row.attempt_number,
  })
  const isOver = ({ word, row }: Awaited): boolean =>
    word.result === 'delivered' || isUnknownPart(row.network_id)
  const closedAt = ({ word, row }: Awaited): number => row.expected_until ?? word.atMs
  const over = found.filter(isOver)
  const others = found.filter((each) => !isOver(each))
  const named = over.flatMap((each) => {
    const networkId = each.word.result === 'delivered' ? undefined : each.word.alternatives?.[0]
    if (networkId === undefined) return []
    const { wire_parts, sent_at, id } = each.row
    const row = { ...keyOf(each), network_id: networkId, wire_parts }
    return [{ ...row, sent_at: sentAt.get(id) ?? sent_at ?? each.word.atMs, closed_at: closedAt(each) }]
  })
  await allDone([
    deleteRows(tx, 'receipts_expected', partKey, over.map(keyOf)),
    insertRows(tx, 'receipts_expected', named, 'ignore'),
    updateRows(
      tx,
      'receipts_expected',
      partKey,
      others.map((each) => ({ ...keyOf(each), closed_at: closedAt(each) })),
    ),
  ])
}

/** `stored` is undefined for a message whose only part of its only attempt this is: nothing else is known of it. */
function reportedOf(
  about: readonly Awaited[],
  stored: readonly StoredAttempt[] | undefined,
): Reported & { before?: readonly StoredAttempt[] } {
  const { row: message } = about[0] as Awaited
  const before = stored ?? [onlyAttempt(message)]
  const attempts = before.map((attempt) =>
    about
      .filter(({ row }) => row.attempt_number === attempt.number)
      .reduce((raised, each) => withReceipt(raised, each), attempt),
  )
  const arrived = about.findLast(({ word }) => word.deliveredAt !== undefined)
  const isWaiting = message.status === 'queued' || message.status === 'scheduled'
  return {
    message,
    attempts,
    ...(stored !== undefined && { before: stored }),
    standing: isWaiting
      ? { waits: message.status as 'queued', end: null }
      : { waits: null, end: endOf(message) },
    atMs: Math.max(...about.map(({ word }) => word.atMs)),
    wireParts: new Map(about.map(({ row }) => [row.attempt_number, row.wire_parts])),
    ...(arrived !== undefined && arrivalOf(arrived.word)),
  }
}

/** One receipt may stand for all parts: some networks send one for a long message. */
function withReceipt(attempt: StoredAttempt, { word, row }: Awaited): StoredAttempt {
  const isForAll = row.wire_parts > 0 && (word.covers === 'all' || word.covers === row.wire_parts)
  return withReport(attempt, { ...partOf(word, row), ...(isForAll && { isForAll }) })
}

function partOf(word: ReceiptWord, row: ExpectedRow): PartReport {
  const reason = { code: word.code ?? 'unknown', networkCode: word.networkCode }
  return {
    ids: isUnknownPart(row.network_id) ? idsOfUnknown(row.network_id, word) : [row.network_id],
    state: word.result,
    reason: word.result === 'delivered' ? null : reason,
  }
}

/**
 * The IDs that a receipt told of a part of unknown outcome, and the number of its place, whose key ends with it: the key
 * itself has the end of the recipient's number.
 */
const idsOfUnknown = (place: string, { alternatives = [] }: ReceiptWord): string[] => [
  `#${place.slice(place.lastIndexOf('/') + 1)}`,
  ...alternatives,
]

/** A message that was sent by its only attempt, whose one part has the ID of the receipt. */
const onlyAttempt = (message: ExpectedRow): StoredAttempt => ({
  account_id: message.account_id,
  mode: message.mode,
  message_id: message.id,
  number: 1,
  id: '',
  device_id: message.expected_by,
  state: 'accepted',
  parts_sent: message.parts_sent,
  network_ids: JSON.stringify([message.network_id]),
  receipt_expected: message.receipt_expected,
  part_reports: null,
  outcome: 'accepted',
  network_code: null,
  ended_at: message.sent_at,
  plan_counts: null,
})

/** Of two receipts for one part of a message in a batch the first one counts. */
const firstOfEach = (found: readonly Awaited[]): Awaited[] => [
  ...new Map(found.toReversed().map((each) => [nameOfPart(each.row), each])).values(),
]

/** Identifies a part: its ID may belong to another message or attempt as well. */
const nameOfPart = ({ id, attempt_number, expected_by, network_id }: ExpectedRow): string =>
  `${id}/${attempt_number}/${expected_by}/${network_id}`

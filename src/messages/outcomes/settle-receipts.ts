import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { deleteRows, selectEach } from '../../storage/seam/sets.ts'
import { advanceMessages } from '../core/advance-messages.ts'
import { closeWaits } from './close-receipts.ts'
import { findDoubted } from './doubtful-parts.ts'
import { keyOfTry } from './last-submitted.ts'
import { dequeueFinal } from '../queue/dequeue.ts'
import type { MessageState } from '../core/message-store.ts'
import { findOpenParts } from './open-parts.ts'
import { park } from './parked-receipts.ts'
import {
  type Awaited,
  type AwaitedPart,
  awaitedPartsOf,
  type ExpectedRow,
  findAwaited,
  findInGroup,
  isUntimely,
  type ReceiptWord,
} from './receipt-readings.ts'
import type { Trigger } from '../core/state.ts'

/**
 * Applies a batch of receipts as one unit. A message is delivered when all its parts are, and undelivered
 * with the first part that is not (of the last submitted attempt: an earlier one does not decide). A receipt
 * that covers all parts of its message counts for all of them.
 *
 * A receipt whose ID matches no attempt may belong to a part with unknown outcome; otherwise it is kept
 * unmatched, as is one that must wait. Writes no time before `floor`. Returns the messages that moved.
 */
export async function settleReceipts(
  tx: Tx,
  words: readonly ReceiptWord[],
  floor: Promise<number> = Promise.resolve(0),
): Promise<MessageState[]> {
  const [own, floorMs] = await allDone([findAwaited(tx, words), floor])
  const shared =
    own.unknown.length > 0 ? await findInGroup(tx, own.unknown) : { awaited: [], unknown: own.unknown }
  const open = await findOpenParts(tx, shared.unknown)
  const { unknown } = open
  const awaited = [...own.awaited, ...shared.awaited, ...open.awaited]
  const doubted = unknown.length > 0 ? await findDoubted(tx, unknown) : { awaited: [], unknown }
  const untimely = awaited.filter(({ word, row }) => isUntimely(word, row))
  const parked = [...doubted.unknown, ...untimely.map(({ word }) => word)]
  if (parked.length > 0) await park(tx, parked)

  const timely = untimely.length > 0 ? awaited.filter((each) => !untimely.includes(each)) : awaited
  const verdicts = await judge(tx, groupByMessage([...timely, ...doubted.awaited]))
  const states = await advanceMessages(
    tx,
    verdicts.map(({ row, trigger, word }) => ({
      message: row,
      attemptNumber: row.attempt_number,
      trigger,
      atMs: Math.max(word.atMs, floorMs),
      error:
        trigger === 'receipt_delivered'
          ? null
          : { code: word.code ?? 'unknown', networkCode: word.networkCode },
      ...(trigger === 'receipt_delivered'
        ? { partsTaken: row.parts, deviceId: word.deviceId, receiptExpected: true, ...arrivalOf(word) }
        : {}),
    })),
  )
  const moved = states.filter((state) => state !== null)
  // After several attempts, another one may have been sent as well (decision 35).
  await closeWaits(
    tx,
    moved.filter(({ attempts, sent_at }) => attempts > 1 && sent_at !== null),
  )
  // A first attempt arrived after all: there is no second one (P6).
  const waited = verdicts.filter(({ row }, i) => row.status === 'queued' && states[i] !== null)
  if (waited.length > 0)
    await dequeueFinal(
      tx,
      waited.map(({ row }) => row),
    )
  return moved
}

/** Omitted if it was not reported. */
export const arrivalOf = ({ deliveredAt }: Pick<ReceiptWord, 'deliveredAt'>) =>
  deliveredAt === undefined ? {} : { deliveredAt }

interface Group {
  row: ExpectedRow
  words: ReceiptWord[]
}
interface Verdict {
  row: ExpectedRow
  trigger: Trigger
  word: ReceiptWord
}

function groupByMessage(awaited: readonly Awaited[]): Group[] {
  const groups = new Map<string, Group>()
  for (const { word, row } of awaited) {
    const key = keyOfTry(row.id, row.attempt_number)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { row, words: [word] })
    else if (!group.words.some((earlier) => earlier.networkId === word.networkId)) group.words.push(word)
  }
  return [...groups.values()]
}

const triggerOf: Record<ReceiptWord['result'], Trigger> = {
  delivered: 'receipt_delivered',
  undelivered: 'receipt_undelivered',
  lost: 'receipt_lost',
}

/**
 * Removes the reported parts from the expected ones; the remaining ones decide whether the message is final.
 */
async function judge(tx: Tx, groups: readonly Group[]): Promise<Verdict[]> {
  const reported = groups.flatMap(({ words }) =>
    words.map((word) => ({ network_id: word.networkId, device_id: word.deviceId })),
  )
  await deleteRows(tx, 'receipts_expected', ['network_id', 'device_id'], reported)
  const joined = groups.filter(({ row }) => row.wire_parts !== 1)
  const open = await openParts(tx, joined)

  const verdicts: Verdict[] = []
  const abandoned: { network_id: string; device_id: string }[] = []
  for (const { row, words } of groups) {
    const bad = words.find((word) => word.result !== 'delivered')
    const left = open.get(keyOfTry(row.id, row.attempt_number)) ?? []
    if (bad !== undefined) {
      if (row.is_superseded !== true) verdicts.push({ row, trigger: triggerOf[bad.result], word: bad })
      abandoned.push(...left)
    } else if (row.wire_parts > 0 && (left.length === 0 || words.some((word) => speaksForAll(word, row)))) {
      verdicts.push({ row, trigger: 'receipt_delivered', word: words.at(-1) as ReceiptWord })
      abandoned.push(...left)
    }
  }
  await deleteRows(tx, 'receipts_expected', ['network_id', 'device_id'], abandoned)
  return verdicts
}

const speaksForAll = ({ covers }: ReceiptWord, { wire_parts }: ExpectedRow): boolean =>
  covers === 'all' || covers === wire_parts

async function openParts(tx: Tx, groups: readonly Group[]): Promise<Map<string, AwaitedPart[]>> {
  const rows = await selectEach<AwaitedPart>(
    tx,
    awaitedPartsOf,
    groups.map(({ row }) => [row.account_id, row.mode, row.expected_sent_at, row.id, row.attempt_number]),
  )
  return Map.groupBy(rows, (row) => keyOfTry(row.message_id, row.attempt_number))
}

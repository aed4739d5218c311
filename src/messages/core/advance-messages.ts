import { allDone } from '../../runtime/all-done.ts'
import { WalletChanges } from '../../ledger/ledger.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { CostState, Flag } from '../../storage/tables/schema.ts'
import { updateRows } from '../../storage/seam/sets.ts'
import type { Change } from './change-number.ts'
import { type MessageEvent, recordMessageEvents } from './events.ts'
import { recordChanges } from './message-changes.ts'
import { type MessageState, type MessageTimes, sentAtOf } from './message-store.ts'
import { storedForm } from './open-attempt.ts'
import { readOwnPayers } from './own-payers.ts'
import { queueMove, type QueueMove, readResent } from './queue-move.ts'
import { chargeOf, isFinal, type Trigger, type Move } from './state.ts'
import { TrafficChanges } from './traffic.ts'

/** One move of one message, whose state was read in the same transaction, under the lock of its account or of all. */
export interface Advance {
  message: MessageState
  /** What happened; a move by all evidence (verdict.ts) has none. */
  trigger: Trigger | Move
  atMs: number
  deviceId?: string
  /** The attempt that it is about; omitted: the last one, or none. */
  attemptNumber?: number
  receiptExpected?: boolean
  /** Parts that the network is known to have accepted. */
  partsTaken?: number
  error?: { code: string; networkCode: string | null } | null | undefined
  possibleDuplicate?: boolean
  /**
   * When the network accepted the message and when it arrived, as reported by the device; `atMs` without a
   * report.
   */
  sentAt?: number
  deliveredAt?: number
}

/**
 * The message was moved by another unit since its state was read. The unit is rolled back and its caller
 * tries again.
 */
class StaleMessage extends Error {
  override readonly name = 'StaleMessage'
}

interface Changed {
  before: MessageState
  after: MessageState
}

/**
 * The only writer of `status`; that a message is `sending` its open attempt says. Moves a batch of messages along the table of state.ts, settles their holds,
 * and updates wallets, traffic counts, the event outbox and the record of changes in the same transaction.
 *
 * Returns the new state for each advance, or null where the table refuses the move. A batch can hold several
 * advances of one message; later ones see the earlier ones. Throws `StaleMessage` when a message was moved
 * since its state was read. `alongside` posts at once with all of this what else the unit writes of the new states.
 */
export async function advanceMessages(
  tx: Tx,
  unit: Change,
  advances: readonly Advance[],
  alongside: (states: readonly (MessageState | null)[]) => Promise<unknown> = async () => undefined,
): Promise<(MessageState | null)[]> {
  const resent = await readResent(tx, advances)
  const ownPayers = await readOwnPayers(tx, advances, resent)
  const wallets = new WalletChanges()
  const changes = new Map<string, Changed>()
  const recorded: MessageEvent[] = []
  const results = advances.map((advance) => {
    const { message } = advance
    const earlier = changes.get(message.id)
    const current = earlier?.after ?? message
    const { trigger, error } = advance
    const found: QueueMove | null =
      typeof trigger === 'string' ? queueMove(current, trigger, { error, resent }) : { move: trigger }
    if (found === null) return null
    const { move, ...facts } = found
    const after = moved(current, move, typeof trigger === 'string' ? { ...advance, ...facts } : advance, unit)
    if (after.cost_state !== current.cost_state) {
      if (ownPayers.has(advance) && after.charged > 0) after.paid_by = 'own_device'
      const { account_id: accountId, mode, charged } = after
      const { held, paid_by: paidBy } = current
      // Usage counts for the day of the charge, though a unit may be written after midnight.
      const atMs = Math.min(advance.atMs, after.updated_at)
      wallets.settle({ accountId, mode, paidBy }, { held, charged, atMs, payer: after.paid_by })
    }
    recorded.push({ message: after, previousStatus: current.status, correction: isCorrection(current, move) })
    changes.set(message.id, { before: earlier?.before ?? message, after })
    return after
  })
  const traffic = new TrafficChanges()
  for (const { before, after } of changes.values()) traffic.moved(before, after)
  await allDone([
    writeChanges(tx, [...changes.values()]),
    wallets.apply(tx),
    traffic.apply(tx),
    recordMessageEvents(tx, recorded),
    recordChanges(
      tx,
      unit,
      [...changes.values()].map(({ after }) => after),
    ),
    alongside(results),
  ])
  return results
}

const key = ['account_id', 'mode', 'id'] as const

/**
 * All columns that a move can change. Only changed columns are written, so that each kind of move has a short
 * statement.
 */
const movingColumns = [
  'status', 'parts_sent', 'charged', 'cost_state', 'paid_by', 'device_id', 'receipt_expected', 'error_code', 'network_code', 'attempts',
  'possible_duplicate', 'corrected', 'sequence', 'sent_at', 'delivered_at', 'finalized_at', 'settled_at', 'updated_at',
  'reported_sent_at', 'reported_delivered_at',
] as const // prettier-ignore

async function writeChanges(tx: Tx, changes: readonly Changed[]): Promise<void> {
  const stored = changes.map(({ before, after }) => ({ after, before: storedForm(before) }))
  const shapes = Map.groupBy(stored, shapeOf)
  const counts = await allDone([
    ...[...shapes].map(([shape, alike]) =>
      updateRows(
        tx,
        'messages',
        key,
        alike.map(({ after }) => after),
        {
          only: movingColumns.filter((_, i) => (shape & (1 << i)) !== 0),
          expected: { column: 'sequence', of: (_, i) => (alike[i] as Changed).before.sequence },
        },
      ),
    ),
    eraseServedTexts(tx, changes),
  ])
  const written = counts.slice(0, -1).reduce((sum, count) => sum + count, 0)
  if (written !== changes.length)
    throw new StaleMessage('another unit moved a message since its state was read')
}

/** Which of `movingColumns` changed: a bit for each of its 20, of the 31 that there are. */
function shapeOf({ before, after }: Changed): number {
  let shape = 0
  for (let i = 0; i < movingColumns.length; i++) {
    const column = movingColumns[i] as (typeof movingColumns)[number]
    if (before[column] !== after[column]) shape |= 1 << i
  }
  return shape
}

/** Erases authentication texts as soon as their messages are final. */
const eraseServedTexts = (tx: Tx, changes: readonly Changed[]): Promise<number> =>
  updateRows(
    tx,
    'messages',
    key,
    changes
      .filter(({ after }) => after.category === 'authentication' && after.finalized_at !== null)
      .map(({ after }) => ({
        account_id: after.account_id,
        mode: after.mode,
        id: after.id,
        text: null,
        text_redacted: 1 as const,
      })),
  )

function moved(before: MessageState, move: Move, advance: Advance, unit: Change): MessageState {
  const receiptExpected = advance.receiptExpected ?? before.receipt_expected === 1
  const final = isFinal(move.to, receiptExpected)
  const partsSent = Math.min(before.parts, Math.max(before.parts_sent, advance.partsTaken ?? 0))
  // A reader of all changes up to this unit has seen all times before it: none may be later than the unit.
  const updatedAt = unit.atMs
  const at = Math.min(Math.max(advance.atMs, latestTimeOf(before)), updatedAt)
  return {
    ...before,
    ...costAfter(before, move, partsSent),
    status: move.to,
    parts_sent: partsSent,
    ...holderAfter(before, move, advance),
    ...errorAfter(before, move, advance),
    possible_duplicate: flag(before.possible_duplicate === 1 || advance.possibleDuplicate === true),
    corrected: flag(before.corrected === 1 || isCorrection(before, move)),
    sequence: before.sequence + 1,
    ...timesAfter(before, move, advance, at),
    finalized_at: before.finalized_at ?? (final ? at : null),
    settled_at: final || before.finalized_at !== null ? updatedAt : null,
    updated_at: updatedAt,
  }
}

/**
 * The latest time of a message by the clock: what follows is not earlier, though the clock was set back. Not the
 * time of its last change, which stays ahead after that.
 */
const latestTimeOf = ({ created_at, sent_at, delivered_at, finalized_at }: MessageState): number =>
  Math.max(created_at, sent_at ?? 0, delivered_at ?? 0, finalized_at ?? 0)

/** True also for a `sent` message that became final because no receipt was expected. */
const isCorrection = (before: MessageState, move: Move): boolean =>
  move.correction === true ||
  (before.status === 'sent' && before.finalized_at !== null && before.corrected === 0)

/**
 * Limits a time that a device reports to what is possible: delivery cannot be earlier than submission. A message that
 * turns out to have been sent once more was sent then: it waits for receipts from `sent_at` on.
 */
function timesAfter(
  before: MessageState,
  move: Move,
  reported: Pick<Advance, 'sentAt' | 'deliveredAt'>,
  atMs: number,
): MessageTimes {
  const isSent =
    hasBeenSent(move) && (before.sent_at === null || (move.to === 'sent' && before.status !== 'sent'))
  const sent = {
    sent_at: isSent ? atMs : before.sent_at,
    reported_sent_at: isSent ? (reported.sentAt ?? null) : before.reported_sent_at,
  }
  if (move.to === 'undelivered') return { ...sent, delivered_at: null, reported_delivered_at: null }
  const { delivered_at, reported_delivered_at } = before
  if (move.to !== 'delivered') return { ...sent, delivered_at, reported_delivered_at }
  const deliveredAt =
    reported.deliveredAt === undefined ? null : Math.max(reported.deliveredAt, sentAtOf(sent) ?? 0)
  return { ...sent, delivered_at: atMs, reported_delivered_at: deliveredAt }
}

const flag = (value: boolean): Flag => (value ? 1 : 0)
const hasBeenSent = (move: Move): boolean =>
  move.to === 'sent' || move.to === 'delivered' || move.to === 'undelivered'

/** A queued message belongs to no device, regardless of its former one. */
function holderAfter(
  before: MessageState,
  move: Move,
  advance: Advance,
): Pick<MessageState, 'device_id' | 'receipt_expected'> {
  if (move.to === 'queued') return { device_id: null, receipt_expected: null }
  const { deviceId = before.device_id, receiptExpected } = advance
  return {
    device_id: deviceId,
    receipt_expected: receiptExpected === undefined ? before.receipt_expected : flag(receiptExpected),
  }
}

/**
 * A hold is settled once: only while the message still holds the parts (P4). Corrections never change the
 * cost (P7).
 */
function costAfter(
  before: MessageState,
  move: Move,
  partsSent: number,
): { charged: number; cost_state: CostState } {
  if (move.charge === 'keep' || before.cost_state !== 'held')
    return { charged: before.charged, cost_state: before.cost_state }
  const charged = chargeOf(move.charge, before.held, partsSent)
  return { charged, cost_state: charged === 0 ? 'released' : charged < before.held ? 'partial' : 'charged' }
}

/** Keeps an error as long as the status that it explains. */
function errorAfter(
  before: MessageState,
  move: Move,
  advance: Advance,
): Pick<MessageState, 'error_code' | 'network_code'> {
  if (advance.error !== undefined)
    return { error_code: advance.error?.code ?? null, network_code: advance.error?.networkCode ?? null }
  if (hasBeenSent(move) || move.to === 'queued') return { error_code: null, network_code: null }
  return { error_code: before.error_code, network_code: before.network_code }
}

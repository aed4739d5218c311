import { WalletChanges } from '../ledger/ledger.ts'
import type { Tx } from '../storage/dialect.ts'
import type { CostState, Flag } from '../storage/schema.ts'
import { updateRows } from '../storage/sets.ts'
import type { MessageState } from './message-store.ts'
import { chargeOf, isFinal, type MessageEvent, type Move, moveOf } from './state.ts'

/** One thing that happened to one message, whose state was read (and is locked) in the same transaction. */
export interface Advance {
  message: MessageState
  event: MessageEvent
  atMs: number
  deviceId?: string
  receiptExpected?: boolean
  /** Wire parts that the network is known to have taken. */
  partsTaken?: number
  error?: { code: string; networkCode: string | null } | null
  possibleDuplicate?: boolean
}

/**
 * The only writer of `status`. Moves a batch of messages along the table of state.ts, ends holds, and keeps wallets and day
 * counters in step, in one transaction. Gives, for each advance, the new state, or null where the table refuses the move.
 * A message may stand in a batch more than once; later advances see the earlier ones.
 */
export async function advanceMessages(tx: Tx, advances: readonly Advance[]): Promise<(MessageState | null)[]> {
  const wallets = new WalletChanges()
  const latest = new Map<string, MessageState>()
  const results = advances.map((advance) => {
    const key = `${advance.message.account_id}/${advance.message.mode}/${advance.message.id}`
    const before = latest.get(key) ?? advance.message
    const move = moveOf(before.status, advance.event)
    if (move === null) return null
    const after = moved(before, move, advance)
    if (after.cost_state !== before.cost_state) {
      wallets.settle({ accountId: after.account_id, mode: after.mode }, before.held, after.charged)
    }
    latest.set(key, after)
    return after
  })

  const changed = [...latest.values()]
  const atMs = changed.reduce((most, message) => Math.max(most, message.updated_at), 0)
  const redacted = changed.filter((message) => message.category === 'authentication' && message.finalized_at !== null)
  const [written] = await Promise.all([
    updateRows(tx, 'messages', key, changed.map(changedColumns)),
    wallets.apply(tx, atMs),
    updateRows(tx, 'messages', key, redacted.map(withoutText)),
  ])
  if (written !== changed.length) throw new Error('a message vanished while it was being advanced')
  return results
}

const key = ['account_id', 'mode', 'id'] as const

function moved(before: MessageState, move: Move, advance: Advance): MessageState {
  const receiptExpected = advance.receiptExpected ?? before.receipt_expected === 1
  const final = isFinal(move.to, receiptExpected)
  const partsSent = Math.min(before.parts, Math.max(before.parts_sent, advance.partsTaken ?? 0))
  const at = Math.max(advance.atMs, before.updated_at)
  return {
    ...before,
    ...costAfter(before, move, partsSent),
    status: move.to,
    parts_sent: partsSent,
    device_id: advance.deviceId ?? before.device_id,
    receipt_expected: advance.receiptExpected === undefined ? before.receipt_expected : flag(advance.receiptExpected),
    ...errorAfter(before, move, advance),
    attempts: before.attempts + (advance.event === 'claimed' ? 1 : 0),
    possible_duplicate: flag(before.possible_duplicate === 1 || advance.possibleDuplicate === true),
    corrected: flag(before.corrected === 1 || move.correction === true),
    sequence: before.sequence + 1,
    sent_at: hasBeenSent(move) ? (before.sent_at ?? at) : before.sent_at,
    delivered_at: move.to === 'delivered' ? at : before.delivered_at,
    finalized_at: before.finalized_at ?? (final ? at : null),
    settled_at: final || before.finalized_at !== null ? at : null,
    updated_at: at,
  }
}

const flag = (value: boolean): Flag => (value ? 1 : 0)
const hasBeenSent = (move: Move): boolean => move.to === 'sent' || move.to === 'delivered' || move.to === 'undelivered'

/** A hold ends once: money moves only while the message still holds it (P4); corrections never touch it (P7). */
function costAfter(before: MessageState, move: Move, partsSent: number): { charged: number; cost_state: CostState } {
  if (move.charge === 'keep' || before.cost_state !== 'held') return { charged: before.charged, cost_state: before.cost_state }
  const charged = chargeOf(move.charge, before.held, partsSent)
  return { charged, cost_state: charged === 0 ? 'released' : charged < before.held ? 'partial' : 'charged' }
}

/** An error stands while the state that it explains stands. */
function errorAfter(before: MessageState, move: Move, advance: Advance): Pick<MessageState, 'error_code' | 'network_code'> {
  if (advance.error !== undefined) return { error_code: advance.error?.code ?? null, network_code: advance.error?.networkCode ?? null }
  if (hasBeenSent(move) || move.to === 'queued') return { error_code: null, network_code: null }
  return { error_code: before.error_code, network_code: before.network_code }
}

const changedColumns = (message: MessageState) => ({
  account_id: message.account_id,
  mode: message.mode,
  id: message.id,
  status: message.status,
  parts_sent: message.parts_sent,
  charged: message.charged,
  cost_state: message.cost_state,
  device_id: message.device_id,
  receipt_expected: message.receipt_expected,
  error_code: message.error_code,
  network_code: message.network_code,
  attempts: message.attempts,
  possible_duplicate: message.possible_duplicate,
  corrected: message.corrected,
  sequence: message.sequence,
  sent_at: message.sent_at,
  delivered_at: message.delivered_at,
  finalized_at: message.finalized_at,
  settled_at: message.settled_at,
  updated_at: message.updated_at,
})

/** Authentication texts are erased as soon as they have served (api.md section 5). */
const withoutText = (message: MessageState) => ({
  account_id: message.account_id,
  mode: message.mode,
  id: message.id,
  text: null,
  text_redacted: 1 as const,
})

import { allDone } from '../../runtime/all-done.ts'
import { referenceOfPart } from '../../sms/part-reference.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Reason } from '../core/attempt-evidence.ts'
import type { Change } from '../core/change-number.ts'
import { type MessageState, readStatesAndOpen } from '../core/message-store.ts'
import type { OpenAttempt } from '../core/open-attempt.ts'
import type { Standing } from '../core/verdict.ts'
import { closeWaits, finalOfSeveral } from './close-waits.ts'
import { forgetUnknownParts } from './forget-unknown-parts.ts'
import { readAttempts, type StoredAttempt, writeAttempts } from '../core/evidence-store.ts'
import { expectReceipts } from './expect-receipts.ts'
import { readMembers } from './group-members.ts'
import { correctPlans } from '../../devices/plans/count-in-plans.ts'
import { countChanges } from './count-changes.ts'
import { endOf, moveByEvidence, type Reported, waitsForReceipt } from './move-by-evidence.ts'
import { takeUnmatched, takeUnmatchedAbout } from './unmatched-receipts.ts'
import { type Raised, raiseAttempt } from './raise-attempt.ts'
import type { ReceiptWord } from './receipt-readings.ts'
import { requeueOrEnd } from './requeue-or-end.ts'
import { settleReceipts } from './settle-receipts.ts'
import type { Settlement } from './settlement.ts'

/**
 * Settles reports on attempts as one unit: the evidence of the attempts, and what it means for states, cost, queue and
 * expected receipts. Reports may come late, twice and in any order. Returns the new state of the message of each report,
 * null where it did not move.
 */
export async function settleOutcomes(
  tx: Tx,
  told: readonly Settlement[],
  numbered: Promise<Change>,
): Promise<(MessageState | null)[]> {
  const [{ states, open }, unit] = await allDone([readStatesAndOpen(tx, told), numbered])
  const messages = new Map(states.map((state) => [state.id, state]))
  const known = told.filter(({ messageId }) => messages.has(messageId))
  const attempts = await attemptsBefore(tx, known, open)
  const changed = raiseAll(known, attempts)
  const reported = [...Map.groupBy(changed, ({ settlement }) => settlement.messageId)].map(([id, about]) =>
    reportedOf(messages.get(id) as MessageState, attempts.get(id) as Map<number, StoredAttempt>, about),
  )
  let canceled: ReadonlyMap<string, MessageState> = new Map()
  let early: readonly ReceiptWord[] = []
  const moved = await moveByEvidence(tx, unit, reported, async (moves) => {
    const outcomeOf = new Map(reported.map(({ message }, i) => [message.id, moves[i]]))
    const movedTo = (id: string): MessageState | null => outcomeOf.get(id)?.state ?? null
    const stateOf = (id: string): MessageState => movedTo(id) ?? (messages.get(id) as MessageState)
    // Run in this order.
    ;[, canceled, , , early] = await allDone([
      writeAttempts(
        tx,
        changed.map(({ after }) => after),
      ),
      requeueOrEnd(tx, unit, changed, { messages, open, moved: outcomeOf }),
      forgetUnknownParts(
        tx,
        changed.filter(({ before }) => before.state === 'unknown'),
        messages,
      ),
      expectReceipts(tx, unit, changed, {
        attempts,
        stateOf: (id) => ({ state: stateOf(id), hasMoved: movedTo(id) !== null }),
        awaitedBy: (id) => awaitedAttempt(stateOf(id), outcomeOf.get(id)?.verdict.attempt?.number),
      }),
      takeEarly(tx, known),
      correctPlans(tx, countChanges(changed, messages)),
    ])
  })
  const stateAfter = new Map(reported.map(({ message }, i) => [message.id, moved[i]?.state ?? null]))
  await closeWaits(tx, finalOfSeveral([...stateAfter.values()]))
  if (early.length > 0) await settleReceipts(tx, early, numbered)
  await applyUnmatchedToUnknown(tx, changed, { messages, numbered })
  return told.map(({ messageId }) => canceled.get(messageId) ?? stateAfter.get(messageId) ?? null)
}

type Attempts = ReadonlyMap<string, Map<number, StoredAttempt>>

/** The attempts of these messages. The first one, while it is open, is the only one: there are no others to read. */
async function attemptsBefore(
  tx: Tx,
  told: readonly Settlement[],
  open: ReadonlyMap<string, OpenAttempt>,
): Promise<Attempts> {
  const isOnly = ({ messageId }: Settlement): boolean => open.get(messageId)?.number === 1
  const rows = await readAttempts(
    tx,
    told.filter((each) => !isOnly(each)),
  )
  const only = [...open.values()].filter(({ number }) => number === 1)
  return new Map([
    ...[...rows].map(([id, all]) => [id, new Map(all.map((row) => [row.number, row]))] as const),
    ...only.map((each) => [each.message_id, new Map([[1, untold(each)]])] as const),
  ])
}

/** Nothing is known of an open attempt. */
const untold = ({ started_at: _since, restore_hold: _hold, ...attempt }: OpenAttempt): StoredAttempt => ({
  ...attempt,
  state: 'handing_over',
  parts_sent: 0,
  network_ids: null,
  receipt_expected: null,
  part_reports: null,
  outcome: null,
  network_code: null,
  ended_at: null,
})

/** Raises the attempts by all reports, in place. Returns each attempt that changed once, with the report that counts most. */
function raiseAll(told: readonly Settlement[], attempts: Attempts): Raised[] {
  const changed = new Map<string, Raised>()
  for (const settlement of told) {
    const ofMessage = attempts.get(settlement.messageId)
    const known = ofMessage?.get(settlement.attemptNumber)
    // After a restore another attempt may have this number.
    if (ofMessage === undefined || known?.id !== settlement.attemptId) continue
    const after = raiseAttempt(known, settlement)
    if (after === known) continue
    ofMessage.set(settlement.attemptNumber, after)
    const name = `${after.message_id}/${after.number}`
    const earlier = changed.get(name)
    const counts =
      earlier === undefined || after.state !== earlier.after.state ? settlement : earlier.settlement
    changed.set(name, { settlement: counts, before: earlier?.before ?? known, after })
  }
  return [...changed.values()]
}

function reportedOf(
  message: MessageState,
  attempts: ReadonlyMap<number, StoredAttempt>,
  about: readonly Raised[],
): Reported {
  const accepted = about.findLast(({ after }) => after.state === 'accepted')?.settlement
  const reasons = about.flatMap(({ settlement: { attemptNumber, error } }): [number, Reason][] =>
    error === null ? [] : [[attemptNumber, error]],
  )
  return {
    message,
    attempts: [...attempts.values()],
    standing: standingOf(message, about),
    atMs: Math.max(...about.map(({ settlement }) => settlement.atMs)),
    reasons: new Map(reasons),
    ...(accepted?.sentAt !== undefined && { sentAt: accepted.sentAt }),
    possibleDuplicate: about.some(({ settlement }) => settlement.possibleDuplicate),
  }
}

/** Where the message is once the attempts that were open have ended: it waits again, or has ended with them. */
function standingOf(message: MessageState, about: readonly Raised[]): Standing {
  const { status } = message
  if (status === 'scheduled' || status === 'queued') return { waits: status, end: null }
  const ended = about.find(({ before }) => before.state === 'handing_over')?.settlement
  if (status !== 'sending' || ended === undefined) return { waits: null, end: endOf(message) }
  return {
    waits: ended.requeue === null ? null : 'queued',
    end: ended.end === null ? null : { status: ended.end, reason: ended.error },
  }
}

const awaitedAttempt = (message: MessageState, by: number | undefined): number | null =>
  waitsForReceipt(message) ? (by ?? null) : null

/** Returns unmatched receipts that arrived before the response to their submission: now they match. */
const takeEarly = (tx: Tx, settlements: readonly Settlement[]): Promise<ReceiptWord[]> =>
  takeUnmatched(
    tx,
    settlements.flatMap(
      ({ deviceId, groupId, accountId, mode, messageId, attemptId, attemptNumber, networkIds }) =>
        networkIds.map((networkId, part) => {
          const reference = referenceOfPart(attemptId, part)
          return { networkId, reference, deviceId, groupId, accountId, mode, messageId, attemptNumber }
        }),
    ),
  )

/** Does the same for parts with unknown outcome, whose IDs were not reported. */
async function applyUnmatchedToUnknown(
  tx: Tx,
  raised: readonly Raised[],
  { messages, numbered }: { messages: ReadonlyMap<string, MessageState>; numbered: Promise<Change> },
): Promise<void> {
  const doubted = raised.flatMap(({ settlement, after }) =>
    after.state === 'unknown' && (settlement.unknownParts?.parts.length ?? 0) > 0 ? [settlement] : [],
  )
  if (doubted.length === 0) return
  const group = await readMembers(tx, doubted)
  const about = doubted.flatMap((settlement) => {
    const { recipient } = messages.get(settlement.messageId) as MessageState
    return group.of(settlement).map((deviceId) => ({ deviceId, recipient }))
  })
  const words = await takeUnmatchedAbout(tx, about)
  if (words.length > 0) await settleReceipts(tx, words, numbered)
}

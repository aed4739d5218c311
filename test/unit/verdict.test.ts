import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AttemptEvidence, type PartState, raisePart } from '../../src/messages/core/attempt-evidence.ts'
import { moveTo, type Standing, verdictOf } from '../../src/messages/core/verdict.ts'
import { evidenceOf, type StoredAttempt, withReport } from '../../src/messages/core/evidence-store.ts'
import { raiseAttempt } from '../../src/messages/outcomes/raise-attempt.ts'
import type { Settlement } from '../../src/messages/outcomes/settlement.ts'
import type { PartReport } from '../../src/storage/tables/json-columns.ts'
import { writeJson } from '../../src/storage/tables/json-columns.ts'

const gone: Standing = { waits: null, end: null }
const waits: Standing = { waits: 'queued', end: null }
const ended: Standing = { waits: null, end: { status: 'expired', reason: null } }

const attempt = (number: number, more: Partial<AttemptEvidence> = {}): AttemptEvidence => ({
  number,
  state: 'open',
  partsTaken: 0,
  receipts: 'none',
  parts: [],
  isWhole: false,
  reason: null,
  ...more,
})
const parts = (...states: PartState[]) => states.map((state) => ({ state, reason: null }))
const unknown = (number: number, partsTaken = 0) => attempt(number, { state: 'unknown', partsTaken })
const refused = (number: number, partsTaken = 0) => attempt(number, { state: 'refused', partsTaken })
const accepted = (number: number, ...states: PartState[]) =>
  attempt(number, {
    state: 'accepted',
    partsTaken: 3,
    receipts: states.length > 0 ? 'all' : 'none',
    parts: parts(...states),
    isWhole: true,
  })

const said = (standing: Standing, ...attempts: AttemptEvidence[]) => {
  const { status, charge, isFinal, attempt: by } = verdictOf(standing, attempts)
  return [status, charge, isFinal, by?.number ?? null]
}

test('of one attempt its own evidence decides', () => {
  expect(said(gone, attempt(1))).toEqual(['sending', 'keep', false, 1])
  expect(said(gone, accepted(1, 'awaited'))).toEqual(['sent', 'all', false, 1])
  expect(said(gone, accepted(1))).toEqual(['sent', 'all', true, 1])
  expect(said(gone, accepted(1, 'delivered', 'awaited'))).toEqual(['sent', 'all', false, 1])
  expect(said(gone, accepted(1, 'delivered', 'delivered'))).toEqual(['delivered', 'all', true, 1])
  expect(said(gone, accepted(1, 'undelivered', 'awaited'))).toEqual(['undelivered', 'all', true, 1])
  expect(said(gone, accepted(1, 'lost', 'delivered'))).toEqual(['unconfirmed', 'all', true, 1])
  expect(said(gone, accepted(1, 'lost', 'undelivered'))).toEqual(['undelivered', 'all', true, 1])
  expect(said(gone, accepted(1, 'retracted'))).toEqual(['undelivered', 'all', true, 1])
  expect(said(gone, unknown(1, 2))).toEqual(['unconfirmed', 'taken', true, 1])
  expect(said(gone, refused(1, 2))).toEqual(['failed', 'taken', true, 1])
  expect(said(ended, refused(1))).toEqual(['expired', 'nothing', true, null])
  expect(said(waits, refused(1))).toEqual(['queued', 'keep', false, null])
})

test('a receipt that was not promised cannot be missing, one of a failure counts', () => {
  const silent = attempt(1, { state: 'accepted', partsTaken: 1, isWhole: true })
  expect(said(gone, { ...silent, parts: parts('lost') })).toEqual(['sent', 'all', true, 1])
  expect(said(gone, { ...silent, parts: parts('undelivered') })).toEqual(['undelivered', 'all', true, 1])
})

test('the last attempt that may have sent something decides, an earlier one by what arrived', () => {
  expect(said(gone, unknown(1), accepted(2, 'awaited'))).toEqual(['sent', 'all', false, 2])
  expect(said(gone, accepted(1, 'undelivered'), accepted(2, 'awaited'))).toEqual(['sent', 'all', false, 2])
  expect(said(gone, accepted(1, 'delivered'), attempt(2))).toEqual(['delivered', 'all', true, 1])
  expect(said(gone, accepted(1, 'delivered'), accepted(2, 'undelivered'))).toEqual([
    'delivered',
    'all',
    true,
    1,
  ])
  expect(said(gone, accepted(1, 'awaited'), refused(2))).toEqual(['sent', 'all', false, 1])
  expect(said(ended, unknown(1, 1), refused(2))).toEqual(['unconfirmed', 'taken', true, 1])
  expect(said(gone, unknown(1, 1), refused(2, 2))).toEqual(['unconfirmed', 'taken', true, 2])
})

test('an attempt that was taken counts while the outcome of a later one is unknown, and ends the wait for another', () => {
  expect(said(gone, accepted(1, 'awaited'), unknown(2))).toEqual(['sent', 'all', false, 1])
  expect(said(waits, accepted(1, 'awaited'), unknown(2))).toEqual(['sent', 'all', false, 1])
  expect(said(waits, accepted(1, 'awaited'))).toEqual(['sent', 'all', false, 1])
  expect(said(gone, accepted(1, 'awaited'), attempt(2))).toEqual(['sending', 'keep', false, 2])
  expect(said(waits, unknown(1, 2))).toEqual(['queued', 'keep', false, null])
  expect(said(waits, refused(1, 2))).toEqual(['queued', 'keep', false, null])
})

const evidence: fc.Arbitrary<AttemptEvidence> = fc.record({
  number: fc.constant(1),
  state: fc.constantFrom('open' as const, 'unknown' as const, 'refused' as const, 'accepted' as const),
  partsTaken: fc.integer({ min: 0, max: 3 }),
  receipts: fc.constantFrom('all' as const, 'failures' as const, 'none' as const),
  parts: fc.array(
    fc.record({
      state: fc.constantFrom<PartState>('awaited', 'lost', 'undelivered', 'delivered', 'retracted'),
      reason: fc.constant(null),
    }),
    { maxLength: 3 },
  ),
  isWhole: fc.boolean(),
  reason: fc.constant(null),
})
const standing = fc.constantFrom<Standing>(gone, waits, ended, { waits: 'scheduled', end: null })
const message = fc.tuple(
  standing,
  fc.array(evidence, { maxLength: 4 }).map((all) => all.map((each, i) => ({ ...each, number: i + 1 }))),
)
const holding = ['scheduled', 'queued', 'sending']

test('whatever is known, there is one verdict: it holds the money exactly while the message is on its way', () => {
  fc.assert(
    fc.property(message, ([of, attempts]) => {
      const { status, charge, isFinal, attempt: by } = verdictOf(of, attempts)
      expect(charge === 'keep').toBe(holding.includes(status))
      expect(isFinal && holding.includes(status)).toBe(false)
      if (['sent', 'delivered', 'undelivered'].includes(status))
        expect([charge, by === null]).toEqual(['all', false])
      if (!isFinal && !holding.includes(status)) expect(status).toBe('sent')
      // The order in which they are listed says nothing.
      expect(verdictOf(of, attempts.toReversed())).toEqual(verdictOf(of, attempts))
    }),
    { numRuns: 3_000 },
  )
})

test('what may be out is never called certainly not sent, and what is on its way has an end that needs no report', () => {
  fc.assert(
    fc.property(message, ([of, attempts]) => {
      const { status, isFinal } = verdictOf(of, attempts)
      const isUnknown = attempts.some(({ state }) => state === 'unknown')
      if (isUnknown) expect(['failed', 'expired', 'canceled']).not.toContain(status)
      if (isFinal || status === 'queued' || status === 'scheduled') return
      // Hand-overs are given up, and waits for receipts closed.
      const silent = attempts.map((each) => ({
        ...each,
        state: each.state === 'open' ? ('unknown' as const) : each.state,
        parts: each.parts.map((part) => raisePart(part, { state: 'lost', reason: null })),
      }))
      expect(verdictOf({ ...of, waits: null }, silent).isFinal).toBe(true)
    }),
    { numRuns: 3_000 },
  )
})

const stored: StoredAttempt = {
  account_id: 'acc_a', mode: 'live', message_id: 'msg_a', number: 1, id: 'att_a', device_id: 'dev_a', state: 'handing_over', parts_sent: 0,
  network_ids: null, receipt_expected: null, part_reports: null, outcome: null, network_code: null, ended_at: null, plan_counts: null,
} // prettier-ignore
const report = (attemptState: Settlement['attemptState'], more: Partial<Settlement> = {}): Settlement => ({
  accountId: 'acc_a', mode: 'live', messageId: 'msg_a', attemptId: 'att_a', attemptNumber: 1, deviceId: 'dev_a', position: { route_key: 'live:', priority: 1, due_at: 0, refusals: 0 },
  attemptState, atMs: 1, outcome: attemptState, networkIds: [], receiptExpected: false, partsTaken: 0, end: null, error: null, requeue: null, possibleDuplicate: false, ...more,
}) // prettier-ignore

const yes = report('accepted', { networkIds: ['n1', 'n2'], receiptExpected: true, partsTaken: 2 })
const reports: readonly ((known: StoredAttempt) => StoredAttempt)[] = [
  (known) =>
    raiseAttempt(known, report('unknown', { networkIds: ['n1'], receiptExpected: true, partsTaken: 1 })),
  (known) => raiseAttempt(known, report('refused')),
  (known) => raiseAttempt(known, yes),
  ...['n1', 'n2'].flatMap((id) =>
    (['lost', 'undelivered', 'delivered'] as const).map(
      (state) =>
        (known: StoredAttempt): StoredAttempt =>
          withReport(known, { ids: [id], state, reason: null }),
    ),
  ),
]

test('a report that is repeated, or that says less than is known, leaves the attempt as it is', () => {
  const doubted = report('unknown', { networkIds: ['n1'], receiptExpected: true, partsTaken: 1 })
  for (const each of [doubted, report('refused', { partsTaken: 1 }), yes]) {
    const known = raiseAttempt(stored, each)
    expect(known).not.toBe(stored)
    expect(raiseAttempt(known, each)).toBe(known)
  }
  const taken = raiseAttempt(stored, yes)
  for (const less of [doubted, report('refused')]) expect(raiseAttempt(taken, less)).toBe(taken)
})

test('reports on one attempt give the same evidence in any order, and however often each is repeated', () => {
  fc.assert(
    fc.property(
      fc
        .subarray([...reports.keys()])
        .chain((some) =>
          fc.tuple(
            fc.shuffledSubarray(some, { minLength: some.length }),
            fc.shuffledSubarray([...some, ...some], { minLength: some.length * 2 }),
          ),
        ),
      ([once, twice]) => {
        const after = (order: readonly number[]) =>
          evidenceOf(
            order.reduce((known, i) => reports[i]!(known), stored),
            2,
          )
        const sorted = ({ parts: of, ...rest }: AttemptEvidence) => ({
          ...rest,
          parts: of.map(({ state }) => state).toSorted(),
        })
        expect(sorted(after(twice))).toEqual(sorted(after(once)))
        expect(verdictOf(gone, [after(twice)])).toMatchObject({
          status: verdictOf(gone, [after(once)]).status,
        })
      },
    ),
    { numRuns: 3_000 },
  )
})

test('a part keeps the best of what was reported, under every ID that the receipts may have meant', () => {
  const heard: PartReport = { ids: ['n1', 'N1'], state: 'lost', reason: null }
  const better: PartReport = { ids: ['N1', 'n-1'], state: 'delivered', reason: null }
  const raised = withReport(withReport(stored, heard), better)
  expect(raised.part_reports).toBe(writeJson([{ ...better, ids: ['n1', 'N1', 'n-1'] }]))
  expect(withReport(raised, heard)).toBe(raised)
})

test('a final status moves by a correction only, and keeps the money', () => {
  const after = (status: Parameters<typeof moveTo>[0]['status'], ...attempts: AttemptEvidence[]) =>
    moveTo({ status, isFinal: true, waitsForReceipt: false }, verdictOf(gone, attempts))
  expect(after('unconfirmed', accepted(1, 'awaited'))).toEqual({
    to: 'sent',
    charge: 'keep',
    correction: true,
  })
  expect(after('failed', accepted(1, 'delivered'))).toMatchObject({ to: 'delivered', correction: true })
  expect(after('sent', accepted(1, 'delivered'))).toEqual({ to: 'delivered', charge: 'keep' })
  expect(after('undelivered', accepted(1, 'delivered'), accepted(2, 'undelivered'))).toMatchObject({
    to: 'delivered',
  })
  for (const status of ['expired', 'canceled', 'delivered'] as const)
    expect(after(status, accepted(1, 'undelivered'))).toBeNull()
  expect(after('delivered', accepted(1, 'retracted'))).toEqual({ to: 'undelivered', charge: 'keep', correction: true }) // prettier-ignore
  expect(after('expired', accepted(1, 'retracted'))).toBeNull()
  expect(after('failed', accepted(1, 'awaited'))).toBeNull()
  expect(after('sent', accepted(1, 'lost'))).toBeNull()
  expect(
    moveTo({ status: 'sent', isFinal: true, waitsForReceipt: true }, verdictOf(gone, [accepted(1, 'lost')])),
  ).toEqual({ to: 'unconfirmed', charge: 'keep' })
})

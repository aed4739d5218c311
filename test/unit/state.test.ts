import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  chargeOf,
  isFinal,
  type Trigger,
  type Move,
  moveAfterUnknown,
  moveOf,
  moves,
} from '../../src/messages/core/state.ts'
import type { MessageStatus } from '../../src/storage/tables/schema.ts'

const statuses = Object.keys(moves) as MessageStatus[]
const triggers = Object.keys(moves.queued) as Trigger[]
/** Every cell that is a move. */
const cells = statuses.flatMap((from) =>
  triggers.flatMap((trigger) => {
    const move = moveOf(from, trigger)
    return move === null ? [] : [{ from, trigger, move, name: `${from} + ${trigger} → ${move.to}` }]
  }),
)
/** A message in one of these has a hold; in every other its money is settled. */
const holding: readonly MessageStatus[] = ['scheduled', 'queued', 'sending']
const named = (some: typeof cells): string[] => some.map(({ name }) => name)
const targetsOf = (from: MessageStatus): MessageStatus[] => [
  ...new Set(cells.filter((cell) => cell.from === from).map(({ move }) => move.to)),
]

test('every state says something about every trigger', () => {
  for (const status of statuses) expect(Object.keys(moves[status]).toSorted()).toEqual(triggers.toSorted())
  expect(statuses).toHaveLength(11)
})

test('the moves are those of the interface and no others', () => {
  expect(Object.fromEntries(statuses.map((status) => [status, targetsOf(status).toSorted()]))).toEqual({
    scheduled: ['canceled', 'queued', 'unconfirmed'],
    queued: ['canceled', 'delivered', 'expired', 'failed', 'sending', 'sent', 'unconfirmed'],
    sending: ['canceled', 'delivered', 'expired', 'failed', 'queued', 'sent', 'unconfirmed', 'undelivered'],
    sent: ['delivered', 'unconfirmed', 'undelivered'],
    unconfirmed: ['delivered', 'sent', 'undelivered'],
    failed: ['delivered'],
    delivered: ['undelivered'],
    undelivered: [],
    expired: [],
    canceled: [],
    received: [],
  })
})

test('nothing leaves a final state but corrections, and nothing else is one', () => {
  const final: readonly MessageStatus[] = statuses.filter((status) => isFinal(status, true))
  expect(final.toSorted()).toEqual(
    ['canceled', 'delivered', 'expired', 'failed', 'received', 'unconfirmed', 'undelivered'].toSorted(),
  )
  expect(
    named(cells.filter(({ from, move }) => final.includes(from) !== (move.correction === true))),
  ).toEqual([])
})

test('a correction keeps the money', () => {
  expect(named(cells.filter(({ move }) => move.correction === true && move.charge !== 'keep'))).toEqual([])
})

test('a hold ends exactly when a message leaves the states that hold', () => {
  const wrong = cells.filter(({ from, move }) => {
    const ends = holding.includes(from) && !holding.includes(move.to)
    return ends !== (move.charge !== 'keep')
  })
  expect(named(wrong)).toEqual([])
})

test('what the network took is charged in full, and what was never submitted not at all', () => {
  const charges = (to: MessageStatus): Set<Move['charge']> =>
    new Set(
      cells
        .filter(({ from, move }) => holding.includes(from) && move.to === to)
        .map(({ move }) => move.charge),
    )
  for (const taken of ['sent', 'delivered', 'undelivered'] as const)
    expect(charges(taken)).toEqual(new Set(['all']))
  for (const never of ['expired', 'canceled'] as const) expect(charges(never)).toEqual(new Set(['nothing']))
  expect(charges('failed')).toEqual(new Set(['nothing', 'taken']))
})

test('a message that was being handed over waits again only after a definite refusal, or once by its caller’s choice', () => {
  const back = cells.filter(({ from, move }) => from === 'sending' && move.to === 'queued')
  expect(back.map(({ trigger }) => trigger).toSorted()).toEqual([
    'not_submitted',
    'refused_for_now',
    'unknown_resend',
  ])
  expect(
    named(cells.filter(({ from, move }) => !['scheduled', 'sending'].includes(from) && move.to === 'queued')),
  ).toEqual([])
})

test('sent is final only without a receipt to wait for', () => {
  expect([isFinal('sent', true), isFinal('sent', false)]).toEqual([false, true])
  for (const status of holding)
    expect([isFinal(status, true), isFinal(status, false)]).toEqual([false, false])
})

test('every state that is not final has a way to its end that asks nobody', () => {
  const alone: Partial<Record<MessageStatus, Trigger>> = {
    scheduled: 'due',
    queued: 'validity_ended',
    sending: 'unknown',
    sent: 'receipt_lost',
  }
  const open = statuses.filter((status) => !isFinal(status, true))
  expect(Object.keys(alone).toSorted()).toEqual(open.toSorted())
  for (const status of open) expect(moveOf(status, alone[status]!), status).not.toBeNull()
})

test('whatever happens in whatever order, a hold ends at most once and a final message stays final', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('scheduled' as const, 'queued' as const),
      fc.array(fc.constantFrom(...triggers), { maxLength: 30 }),
      (begins, happened) => {
        let status: MessageStatus = begins
        let holdsEnded = 0
        let isDone = false
        for (const trigger of happened) {
          const move = moveOf(status, trigger)
          if (move === null) continue
          if (move.charge !== 'keep') holdsEnded += 1
          status = move.to
          expect(isDone && holding.includes(status)).toBe(false)
          isDone ||= isFinal(status, true)
        }
        expect(holdsEnded).toBe(holding.includes(status) ? 0 : 1)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('what was handed over once with an unknown outcome never ends as certainly not submitted', () => {
  for (const { move, name } of cells) {
    const adapted = moveAfterUnknown(move)
    expect(['failed', 'expired', 'canceled'], name).not.toContain(adapted.to)
    if (adapted.to === move.to) expect(adapted, name).toBe(move)
    else
      expect([move.to, adapted.to], name).toEqual([
        expect.stringMatching(/^(failed|expired|canceled)$/),
        'unconfirmed',
      ])
  }
})

test('a charge is never more than the hold, whatever the wire took', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('all' as const, 'taken' as const, 'nothing' as const),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 0, max: 20 }),
      (charge, held, taken) => {
        const charged = chargeOf(charge, held, taken)
        expect(charged).toBe(charge === 'all' ? held : charge === 'nothing' ? 0 : Math.min(held, taken))
      },
    ),
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chargeOf, isFinal, type Trigger, moveOf, moves } from '../../src/messages/core/state.ts'
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

test('the queue moves what waits; all else follows from evidence', () => {
  const found = statuses.flatMap((status) => {
    const targets = targetsOf(status).toSorted()
    return targets.length === 0 ? [] : [[status, targets]]
  })
  expect(Object.fromEntries(found)).toEqual({
    scheduled: ['canceled', 'queued', 'unconfirmed'],
    queued: ['canceled', 'expired', 'unconfirmed'],
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

test('what the queue ends was never submitted, and costs nothing', () => {
  const ends = cells.filter(({ from, move }) => holding.includes(from) && !holding.includes(move.to))
  expect(new Set(ends.map(({ move }) => move.charge))).toEqual(new Set(['nothing']))
})

test('sent is final only without a receipt to wait for', () => {
  expect([isFinal('sent', true), isFinal('sent', false)]).toEqual([false, true])
  for (const status of holding)
    expect([isFinal(status, true), isFinal(status, false)]).toEqual([false, false])
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

import { expect, test } from 'vitest'
import { type UnknownPart, LateResponses } from '../../src/connectors/smpp/submit/late-responses.ts'
import type { Session } from '../../src/connectors/smpp/session/session.ts'

const most = 10_000

/** Sessions and what their late answers tell. */
function startLate() {
  const late = new LateResponses()
  const open = () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    return { session: { ended } as unknown as Session, end: resolve }
  }
  const expectOne = ({ session }: { session: Session }, sequence: number): void => {
    const doubtful: UnknownPart = { attemptId: `att_${sequence}`, outcomes: [], isReported: true }
    late.expect(session, sequence, doubtful, 0)
  }
  const take = ({ session }: { session: Session }, sequence: number) =>
    late.take(session, { sequence }, { outcome: { kind: 'taken', messageId: 'm' }, receipts: 'all' })
      ?.attemptId ?? null
  return { open, expectOne, take }
}

test('a late answer counts, however many others never came: the oldest of all sessions are given up', () => {
  const { open, expectOne, take } = startLate()
  const [old, young] = [open(), open()]
  for (let sequence = 1; sequence <= 2; sequence++) expectOne(old, sequence)
  for (let sequence = 1; sequence < most; sequence++) expectOne(young, sequence)
  expect(take(old, 1)).toBe(null)
  expect([take(old, 2), take(old, 2)]).toEqual(['att_2', null])
  expect(take(young, most - 1)).toBe(`att_${most - 1}`)
})

test('what a session took along with its end makes room', async () => {
  const { open, expectOne, take } = startLate()
  const [kept, over, next] = [open(), open(), open()]
  expectOne(kept, 1)
  for (let sequence = 2; sequence <= most; sequence++) expectOne(over, sequence)
  over.end()
  await Promise.resolve()
  for (let sequence = 2; sequence <= most; sequence++) expectOne(next, sequence)
  expect([take(over, 2), take(kept, 1), take(next, 2)]).toEqual([null, 'att_1', 'att_2'])
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PartOutcome, submitMessage } from '../../src/connectors/smpp/submit/submit-message.ts'
import { judgeParts } from '../../src/connectors/sms/part-outcomes.ts'
import { message } from './session-fixture.ts'

const taken = (messageId: string | null = 'id'): PartOutcome => ({ kind: 'taken', messageId })
const refused = (lasts: 'good' | 'now' | 'busy'): PartOutcome => ({
  kind: 'refused',
  reason: { lasts, code: 'network_rejected', networkCode: 'ESME_RX' },
})
const notWritten: PartOutcome = { kind: 'not_written', detail: 'closed' }
const unknown: PartOutcome = { kind: 'unknown', detail: 'no answer' }
const anyPart = fc.constantFrom(
  taken(),
  taken(null),
  refused('good'),
  refused('now'),
  refused('busy'),
  notWritten,
  unknown,
)

interface Options {
  maxPauses?: number
  room?: number
  stops?: (boolean | null)[]
  receipts?: 'all' | 'failures'
  isExpired?: boolean
}

/** Submits parts whose tries end as told, one after the other; the last one repeats. */
async function submit(
  tries: readonly (readonly PartOutcome[])[],
  { maxPauses = 3, room = 10, stops = [], receipts = 'all', isExpired = false }: Options = {},
) {
  const asked: number[] = tries.map(() => 0)
  const doubts: number[] = []
  const pauses: number[] = []
  const outcome = await submitMessage(
    {
      submitPart: async (_, part) => {
        const of = tries[part] as readonly PartOutcome[]
        const next = of[Math.min(asked[part] as number, of.length - 1)] as PartOutcome
        asked[part] = (asked[part] as number) + 1
        return next
      },
      pause: async (fruitless) => pauses.push(fruitless) <= maxPauses,
      hasOptedOut: async () => (stops.length > 0 ? (stops.shift() as boolean | null) : false),
      isExpired: () => isExpired,
      room: () => room,
      onUnknown: (_, part) => void doubts.push(part),
      receipts,
    },
    tries.map(() => message),
  )
  return { outcome, asked, doubts, pauses }
}

test('all parts taken is accepted, with an id for each', async () => {
  const { outcome, pauses } = await submit([[taken('a')], [taken('b')]])
  expect(pauses).toEqual([])
  expect(outcome).toEqual({ kind: 'accepted', networkIds: ['a', 'b'], receiptExpected: true })
})

test('no receipt is waited for when the SMSC named no message', async () => {
  const { outcome } = await submit([[taken(null)]])
  expect(outcome).toEqual({ kind: 'accepted', networkIds: [], receiptExpected: false })
})

test('where failures alone are told they are told of a half, too', async () => {
  const failures = { receipts: 'failures' as const }
  const told = { receiptExpected: false, failuresReported: true }
  expect((await submit([[taken('a')]], failures)).outcome).toMatchObject({ kind: 'accepted', ...told })
  const half = await submit([[taken('a')], [refused('good')]], failures)
  expect(half.outcome).toMatchObject({ kind: 'partial', ...told })
})

test('nothing taken lets the whole message go elsewhere, at once', async () => {
  expect((await submit([[refused('busy')], [notWritten]])).asked).toEqual([1, 1])
  expect((await submit([[refused('busy')]])).outcome).toMatchObject({ kind: 'refused', lasts: 'busy' })
  expect((await submit([[notWritten], [notWritten]])).outcome).toMatchObject({ kind: 'unavailable' })
})

test('the worst refusal decides', async () => {
  const { outcome } = await submit([[refused('busy')], [refused('good')], [refused('now')]])
  expect(outcome).toMatchObject({ kind: 'refused', lasts: 'good' })
})

test('a message whose parts were refused for its recipient and for the link is no matter of the recipient alone', async () => {
  const alone: PartOutcome = {
    kind: 'refused',
    reason: { lasts: 'busy', code: 'network_congested', networkCode: 'ESME_RMSGQFUL', recipientAlone: true },
  }
  expect((await submit([[alone], [alone]])).outcome).toMatchObject({ recipientAlone: true })
  expect((await submit([[alone], [refused('busy')]])).outcome).not.toHaveProperty('recipientAlone')
})

test('once a part was taken, only those that were not go again', async () => {
  const { outcome, asked } = await submit([[taken('a')], [refused('busy'), notWritten, taken('b')]])
  expect(asked).toEqual([1, 3])
  expect(outcome).toEqual({ kind: 'accepted', networkIds: ['a', 'b'], receiptExpected: true })
})

test('before parts go again it is asked whether their recipient has opted out: then they stay, and while nobody can say they wait', async () => {
  const tries = [[taken('a')], [refused('busy')]]
  const { outcome, asked, pauses } = await submit(tries, { maxPauses: 10, stops: [false, null, null, true] })
  expect([asked, pauses]).toEqual([
    [1, 2],
    [0, 1, 1, 1],
  ])
  expect(outcome).toMatchObject({ kind: 'partial', partsTaken: 1, code: 'recipient_opted_out' })
})

test('parts that never go are told with those that did', async () => {
  const { outcome, asked } = await submit([[taken('a')], [refused('busy')]])
  expect(asked).toEqual([1, 4])
  expect(outcome).toMatchObject({
    kind: 'partial',
    networkIds: ['a'],
    partsTaken: 1,
    code: 'network_rejected',
  })
})

test('each part that is taken begins the count of rounds that brought nothing anew', async () => {
  const busy = refused('busy')
  const { outcome, pauses } = await submit(
    [[taken('a')], [busy, busy, busy, taken('b')], [busy, busy, busy, busy, busy, taken('c')]],
    { maxPauses: 10 },
  )
  expect(pauses).toEqual([0, 1, 2, 0, 1])
  expect(outcome).toMatchObject({ kind: 'accepted', networkIds: ['a', 'b', 'c'] })
})

test('no more parts go again at once than the rate has room for, and one in any case', async () => {
  const tries = [[taken()], ...Array.from({ length: 5 }, () => [refused('busy'), taken()])]
  expect((await submit(tries, { maxPauses: 10, room: 2 })).pauses).toHaveLength(3)
  expect((await submit(tries, { maxPauses: 10, room: 0 })).pauses).toHaveLength(5)
  expect((await submit(tries, { maxPauses: 10, room: Infinity })).pauses).toHaveLength(1)
})

test('a part of which nothing is known never goes again, nor does what stands beside it', async () => {
  const { outcome, asked, doubts } = await submit([[taken('a')], [unknown], [refused('busy')]])
  expect(asked).toEqual([1, 1, 1])
  expect(outcome).toMatchObject({ kind: 'unknown', networkIds: ['a'], partsTaken: 1 })
  expect(doubts).toEqual([1])
})

test('an answer that does not tell whether the part was taken is kept, and comes before silence on another part', async () => {
  const answered = { networkCode: 'ESME_RUNKNOWNERR' }
  const unclear: PartOutcome = { kind: 'unknown', detail: 'It answered ESME_RUNKNOWNERR.', answered }
  expect((await submit([[unknown], [unclear]])).outcome).toMatchObject({ detail: unclear.detail, answered })
  expect((await submit([[unknown]])).outcome).not.toHaveProperty('answered')
})

test('whatever becomes of the parts: nothing in doubt is called refused, nothing taken is called untouched', () => {
  const property = fc.property(fc.array(anyPart, { minLength: 1, maxLength: 6 }), (outcomes) => {
    const outcome = judgeParts(outcomes, 'all')
    const takenParts = outcomes.filter(({ kind }) => kind === 'taken').length
    const unknownParts = outcomes.some(({ kind }) => kind === 'unknown')
    expect(outcome.kind === 'unknown').toBe(unknownParts)
    if (outcome.kind === 'refused' || outcome.kind === 'unavailable') expect(takenParts).toBe(0)
    if (outcome.kind === 'accepted') expect(takenParts).toBe(outcomes.length)
    if (outcome.kind === 'partial' || outcome.kind === 'unknown') expect(outcome.partsTaken).toBe(takenParts)
  })
  fc.assert(property)
})

test('a half whose validity has ended is told as expired, whatever its rest met last', async () => {
  for (const rest of [notWritten, refused('busy')]) {
    const { outcome } = await submit([[taken('a')], [rest]], { isExpired: true })
    expect(outcome).toMatchObject({ kind: 'partial', partsTaken: 1, code: 'expired_in_queue' })
  }
})

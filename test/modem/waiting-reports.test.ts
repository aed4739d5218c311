import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StatusReport } from '../../src/connectors/modem/pdu/report-pdu.ts'
import { WaitingReports } from '../../src/connectors/modem/receive/waiting-reports.ts'

const startMs = Date.parse('2026-11-27T22:55:00Z')

function open() {
  let nowMs = startMs
  const waiting = new WaitingReports({ now: () => nowMs })
  return { waiting, at: (ms: number) => void (nowMs = startMs + ms) }
}

const report = (reference: number, number: string, atMs: number, status = 0): StatusReport => ({
  kind: 'report',
  reference,
  recipient: { number, kind: 'international' },
  acceptedAt: { atMs: startMs + atMs, localMs: startMs + atMs + 3_600_000 },
  status,
})

test('24: an ID has the reference and the second, and no number', () => {
  const { waiting, at } = open()
  const seconds = startMs / 1_000
  expect(waiting.sent(7, '+491711234567')).toBe(`7@${seconds}`)
  expect(waiting.sent(8, '+491711234567')).toBe(`8@${seconds}`)
  expect(waiting.sent(7, '+491717654321')).toBe(`7@${seconds}.2`)
  at(1_000)
  expect(waiting.sent(7, '+491711234567')).toBe(`7@${seconds + 1}`)
})

test('24: a report is about the part with its reference, its recipient and the nearest time', () => {
  const { waiting, at } = open()
  const first = waiting.sent(0, '+491711234567')
  const other = waiting.sent(0, '+491717654321')
  at(60_000)
  const second = waiting.sent(0, '+491711234567')
  expect(waiting.receiptOf(report(0, '+491711234567', 58_000))).toEqual({
    networkId: second,
    alternatives: [first],
    numbers: ['+491711234567'],
    submittedAt: startMs + 58_000 + 3_600_000,
    result: 'delivered',
    code: null,
    networkCode: null,
  })
  expect(waiting.receiptOf(report(0, '01717654321', 2_000, 0x46))).toMatchObject({
    networkId: other,
    result: 'undelivered',
    code: 'expired_in_network',
    networkCode: '46',
  })
})

test('24: the reference alone never identifies a part', () => {
  const { waiting } = open()
  waiting.sent(5, '+491711234567')
  const receipt = waiting.receiptOf(report(5, '+491719999999', 1_000))
  expect(receipt).toMatchObject({ networkId: `5@${startMs / 1_000 + 1}`, numbers: ['+491719999999'] })
  expect(receipt).not.toHaveProperty('alternatives')
  expect(waiting.knows(report(5, '+491719999999', 1_000))).toBe(false)
})

test('25: after a restart all parts with its reference are readings of it, the nearest first', () => {
  const { waiting } = open()
  const seconds = startMs / 1_000
  for (const id of [`9@${seconds - 500}`, `9@${seconds - 10}`, `9@${seconds - 10}.2`, 'not-of-a-modem', '1@2', `9@${seconds - 10}`])
    waiting.resume(id)
  expect(waiting.receiptOf(report(9, '+491711234567', -10_000))).toMatchObject({
    networkId: `9@${seconds - 10}`,
    alternatives: [`9@${seconds - 10}.2`, `9@${seconds - 500}`],
  })
}) // prettier-ignore

test('24: a report that comes again is about the part that it was about, and about no later one', () => {
  const { waiting, at } = open()
  const first = waiting.sent(0, '+491711234567')
  at(5_000)
  waiting.sent(0, '+491711234567')
  const once = waiting.receiptOf(report(0, '+491711234567', 0))
  waiting.reported({ networkId: first })
  expect(once?.networkId).toBe(first)
  expect(waiting.receiptOf(report(0, '+491711234567', 0))).toEqual({ ...once, alternatives: undefined })
})

test('26: a report while the network still tries says nothing', () => {
  const { waiting } = open()
  waiting.sent(1, '+491711234567')
  expect(waiting.receiptOf(report(1, '+491711234567', 0, 0x30))).toBeNull()
})

test('24: 300 parts to two numbers over a reference that wraps have 300 right reports, in any order', () => {
  const numbers = ['+491711234567', '+491717654321']
  const sending = fc.array(fc.record({ to: fc.constantFrom(...numbers), pauseMs: fc.integer({ min: 1_500, max: 9_000 }) }), { minLength: 300, maxLength: 300 }) // prettier-ignore
  fc.assert(
    fc.property(
      sending,
      fc.constantFrom(1, 256),
      fc.integer({ min: -400, max: 400 }),
      (parts, wrapsAt, skewMs) => {
        const { waiting, at } = open()
        let nowMs = 0
        const sent = parts.map(({ to, pauseMs }, index) => {
          at((nowMs += pauseMs))
          return { id: waiting.sent(index % wrapsAt, to), to, reference: index % wrapsAt, atMs: nowMs }
        })
        for (const { id, to, reference, atMs } of sent.toReversed())
          expect(waiting.receiptOf(report(reference, to, atMs + skewMs))?.networkId).toBe(id)
      },
    ),
    { numRuns: 20 },
  )
})

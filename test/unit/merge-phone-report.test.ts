import { expect, test } from 'vitest'
import { mergePhoneReport } from '../../src/messages/phones/merge-phone-report.ts'
import type { PhoneWord } from '../../src/storage/tables/column-values.ts'

const rising = ['pending', 'processed', 'sent', 'delivered'] as const
const all: readonly PhoneWord[] = [...rising, 'failed', 'canceled']

test('the first report counts, whatever it is', () => {
  for (const report of all) expect(mergePhoneReport(null, report, 1)).toBe(report)
})

test('a state only rises, so a repeated or late report adds nothing', () => {
  for (const [i, before] of rising.entries())
    for (const [j, report] of rising.entries())
      expect(mergePhoneReport(before, report, 1), `${before}, then ${report}`).toBe(j > i ? report : null)
})

test('a failure ends what is not delivered, and a delivery of a text of one part corrects it', () => {
  for (const before of ['pending', 'processed', 'sent'] as const)
    expect(mergePhoneReport(before, 'failed', 1)).toBe('failed')
  expect(mergePhoneReport('delivered', 'failed', 1)).toBeNull()
  expect(mergePhoneReport('failed', 'delivered', 1)).toBe('delivered')
  for (const report of ['pending', 'processed', 'sent', 'failed', 'canceled'] as const)
    expect(mergePhoneReport('failed', report, 1), report).toBeNull()
})

test('of several parts a failure is the last report, before a delivery or after it', () => {
  expect(mergePhoneReport('delivered', 'failed', 2)).toBe('failed')
  expect(mergePhoneReport('failed', 'delivered', 2)).toBeNull()
})

test('a cancel ends only what the radio was not given, and what was sent nevertheless corrects it', () => {
  expect(mergePhoneReport('pending', 'canceled', 1)).toBe('canceled')
  for (const before of ['processed', 'sent', 'delivered'] as const)
    expect(mergePhoneReport(before, 'canceled', 1), before).toBeNull()
  expect(mergePhoneReport('canceled', 'sent', 1)).toBe('sent')
  expect(mergePhoneReport('canceled', 'delivered', 1)).toBe('delivered')
  for (const report of ['pending', 'processed', 'failed', 'canceled'] as const)
    expect(mergePhoneReport('canceled', report, 1), report).toBeNull()
})

import { expect, test } from 'vitest'
import { isValidOutcome } from '../../src/dispatch/outcomes/valid-outcome.ts'

const accepted = { kind: 'accepted', networkIds: ['n1'], receiptExpected: true }
const refused = { kind: 'refused', lasts: 'now', code: 'no_service', networkCode: '8' }
const partial = { ...refused, kind: 'partial', networkIds: [], partsTaken: 0, receiptExpected: false }
const unknown = { kind: 'unknown', networkIds: [], partsTaken: 1, detail: 'no answer' }
const unknownParts = { parts: [0, 254], wireParts: 2 }

test.each([
  accepted,
  { ...accepted, networkIds: [], sentAt: 1 },
  ...['good', 'now', 'busy', 'expired'].map((lasts) => ({ ...refused, lasts, networkCode: null })),
  partial,
  { kind: 'unavailable', detail: 'not bound' },
  unknown,
  { ...unknown, unknownParts, answered: { networkCode: 'ESME_RUNKNOWNERR' } },
  { ...unknown, unknownParts: { parts: Array.from({ length: 255 }, () => 0), wireParts: 1 } },
])('%j is an outcome', (answer) => {
  expect(isValidOutcome(answer)).toBe(true)
})

test.each([
  null,
  undefined,
  'accepted',
  {},
  { ...accepted, kind: 'taken' },
  { ...accepted, networkIds: 'n1' },
  { ...accepted, networkIds: ['n1', 2] },
  { ...accepted, receiptExpected: 1 },
  { ...accepted, sentAt: 1.5 },
  { ...refused, lasts: 'nowhere' },
  { ...refused, lasts: 'for good' },
  { ...refused, code: null },
  { ...refused, networkCode: 8 },
  { ...partial, code: undefined },
  { ...partial, networkIds: undefined },
  { ...partial, partsTaken: -1 },
  { ...partial, receiptExpected: undefined },
  { kind: 'unavailable' },
  { ...unknown, networkIds: undefined },
  { ...unknown, partsTaken: 0.5 },
  { ...unknown, detail: null },
  { ...unknown, unknownParts: null },
  { ...unknown, unknownParts: { ...unknownParts, parts: '0' } },
  { ...unknown, unknownParts: { ...unknownParts, parts: [255] } },
  { ...unknown, unknownParts: { ...unknownParts, parts: [0, 255] } },
  { ...unknown, unknownParts: { ...unknownParts, parts: [-1] } },
  { ...unknown, unknownParts: { ...unknownParts, parts: Array.from({ length: 256 }, () => 0) } },
  { ...unknown, unknownParts: { ...unknownParts, wireParts: '2' } },
  { ...unknown, answered: {} },
])('%j is none, and says so without an exception', (answer) => {
  expect(isValidOutcome(answer)).toBe(false)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Refusal } from '../../src/runtime/errors.ts'
import { openCursor, sealCursor } from '../../src/messages/history/history-cursor.ts'
import { everyMessage, type HistoryQuery } from '../../src/messages/history/history-query.ts'
import { ada } from './stored-messages.ts'

const key = new Uint8Array(32).fill(7)
const query: HistoryQuery = {
  ...everyMessage,
  to: '+4915112345678',
  statuses: ['failed'],
  createdAfterMs: 1_795_253_400_000,
  order: 'asc',
}
const position = { id: 'msg_01k9ktqv1hfm3se9a0x5rtb8vq', updatedAtMs: null }
const cursor = sealCursor(key, ada, { query, position })

const refusalOf = (open: () => unknown): string | null => {
  try {
    open()
    return null
  } catch (error) {
    return error instanceof Refusal ? error.code : String(error)
  }
}

test('a cursor carries the query and the position', () => {
  expect(openCursor(key, ada, cursor)).toEqual({ query, position })
})

test('a cursor of a page by change carries its place among the changes', () => {
  const change = { number: 1_795_253_400_123_004, part: 2, index: 99 }
  const placed = { id: position.id, updatedAtMs: 1_795_253_400_123, change }
  const byChange = { ...everyMessage, updatedAfterMs: 1_795_253_400_000 }
  const text = sealCursor(key, ada, { query: byChange, position: placed })
  expect(openCursor(key, ada, text)).toEqual({ query: byChange, position: placed })
})

test('a cursor that the version before sealed opens, with its time and without a place', () => {
  // Sealed by that version, of the same owner and under the same key.
  const former =
    'AcV4caBySc5TtvfEuWHzL4mDglhkmehpuD-bJH09YO-3vIKVUX2ubiiUQPrEEhQaTKSC0myywU69nLWCv2cowA_N3q2IOBdCmeE47szPiclaNAnWA2dPr8RGKKPo4CE9-8k'
  expect(openCursor(key, ada, former)).toEqual({
    query: { ...everyMessage, updatedAfterMs: 1_795_253_400_000 },
    position: { id: position.id, updatedAtMs: 1_795_253_400_123 },
  })
})

test('a cursor shows nothing of what it carries', () => {
  const bytes = Buffer.from(cursor, 'base64url').toString('latin1')
  expect(bytes).not.toMatch(/4915112345678|msg_|failed/)
  expect(cursor).not.toContain('4915112345678')
})

test('a cursor that was changed anywhere is refused', () => {
  fc.assert(
    fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_'), (at, character) => {
      fc.pre(cursor[at] !== character)
      const changed = cursor.slice(0, at) + character + cursor.slice(at + 1)
      expect(refusalOf(() => openCursor(key, ada, changed))).toBe('invalid_cursor')
    }),
    { numRuns: 500 },
  )
})

test('a cursor that was cut, lengthened, made up or left empty is refused', () => {
  const wrong = [
    '',
    'A',
    'AQ',
    cursor.slice(0, -1),
    cursor.slice(0, 20),
    `${cursor}A`,
    `${cursor}=`,
    ` ${cursor}`,
    cursor.repeat(100),
    'eyJpZCI6MX0',
    '💥',
  ]
  expect(wrong.map((text) => refusalOf(() => openCursor(key, ada, text)))).toEqual(
    wrong.map(() => 'invalid_cursor'),
  )
})

test('a cursor opens for nobody else: not for another account, nor the other mode, nor under another key', () => {
  expect(refusalOf(() => openCursor(key, { ...ada, accountId: 'acc_bob' }, cursor))).toBe('invalid_cursor')
  expect(refusalOf(() => openCursor(key, { ...ada, mode: 'test' }, cursor))).toBe('invalid_cursor')
  expect(refusalOf(() => openCursor(new Uint8Array(32).fill(8), ada, cursor))).toBe('invalid_cursor')
})

test('the longest query makes a cursor that still opens and fits into an address', () => {
  const ids = Array.from(
    { length: 100 },
    (_, i) => `msg_01k9ktqv1hfm3se9a0x5rtb${String(i).padStart(3, '0')}`,
  )
  const longest = {
    ...query,
    ids,
    clientReference: '💬'.repeat(100),
    sendId: 'snd_01k9ktqv1gfx8r4z6m2d7cwn5e',
    timeline: true,
  }
  const text = sealCursor(key, ada, { query: longest, position })
  expect(openCursor(key, ada, text).query).toEqual(longest)
  expect(text.length).toBeLessThan(6_000)
})

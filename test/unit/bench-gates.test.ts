import { expect, test } from 'vitest'
import { missedGates, type Start } from '../../bench/form-gates.ts'
import { pairTable } from '../../bench/pair-table.ts'

const start = (processorMs: number): Start => ({ readyMs: 900, processorMs, memoryMb: 100, perSecond: null })
const size = { packedMb: 3, words: '3 MB' }
const checkout = { kind: 'checkout', size } as const
const built = { kind: 'package', size } as const
/** Gates that starts of the two miss; without starts of the checkout, it was not measured. */
const missed = (ofCheckout: Start[] | null, ofPackage: Start[]): string[] =>
  missedGates(
    new Map<typeof checkout | typeof built, Start[]>([
      ...(ofCheckout === null ? [] : [[checkout, ofCheckout] as const]),
      [built, ofPackage],
    ]),
  )

test('a form that is measured within its gates misses none', () => {
  expect(missed([start(1_000)], [start(300)])).toEqual([])
  expect(missed([start(1_000)], [start(900)])).toEqual([expect.stringContaining('is 0.90')])
})

test('what could not be judged is missed: a gate of nothing is no gate', () => {
  expect(missed(null, [start(300)])).toEqual([
    expect.stringMatching(/processor time of the package.*was not measured/),
  ])
  expect(missed([start(1_000)], [])).toHaveLength(2)
})

const cost = (us: number) => new Map([['row', { us, value: '1/s' }]])

test('rows of two checkouts are compared by their medians', () => {
  expect(pairTable({ a: [cost(10), cost(30), cost(20)], b: [cost(40), new Map(), cost(40)] })).toContain(
    '| row | 20 µs (10 30 20) | 40 µs (40 – 40) | 2.00 × |',
  )
})

test.for([
  [[cost(10)], [new Map()]],
  [[new Map()], [cost(10)]],
  [[], []],
] as const)('without a row that both have, nothing was compared', ([a, b]) => {
  expect(() => pairTable({ a, b })).toThrow('No row says in both checkouts')
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedMap } from '../../src/runtime/bounded-map.ts'

const most = 3

const steps = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ kind: fc.constant('set' as const), key: fc.integer({ max: 9, min: 0 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('delete' as const), key: fc.integer({ max: 9, min: 0 }) }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'clear' as const, key: 0 }) },
  ),
  { maxLength: 200 },
)

test('a bounded map holds what was put in last, whatever was renewed, deleted or cleared meanwhile', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const map = new BoundedMap<number>(most)
      let expected: { key: string; value: number }[] = []
      for (const [value, { kind, key }] of taken.entries()) {
        const name = String(key)
        const others = kind === 'clear' ? [] : expected.filter((entry) => entry.key !== name)
        expected = kind === 'set' ? [...others, { key: name, value }].slice(-most) : others
        if (kind === 'set') map.set(name, value)
        else if (kind === 'delete') map.delete(name)
        else map.clear()

        expect(map.size).toBe(expected.length)
        for (let each = 0; each <= 9; each++) {
          const entry = expected.find(({ key: held }) => held === String(each))
          expect(map.has(String(each))).toBe(entry !== undefined)
          expect(map.get(String(each))).toBe(entry?.value)
        }
      }
    }),
  )
})

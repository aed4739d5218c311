import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecretBox } from '../../src/runtime/secret-box.ts'
import { scalarValue } from '../scalar-value.ts'

const current = 'a secret of the instance, long enough'
const older = 'the secret that stood there before it'
const box = createSecretBox({ current, former: [] }, 'device')

test('opens what it sealed, for the same owner', () => {
  fc.assert(
    fc.property(fc.string({ unit: scalarValue }), fc.string(), (text, owner) => {
      expect(box.open(box.seal(text, owner), owner)).toBe(text)
    }),
  )
})

test('the same text is sealed otherwise each time, and cannot be seen in what is stored', () => {
  const sealed = box.seal('password', 'dev_1')
  expect(box.seal('password', 'dev_1')).not.toBe(sealed)
  expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/)
  expect(sealed).not.toContain('password')
})

test('refuses to open for another owner, or for another purpose', () => {
  const sealed = box.seal('password', 'dev_1')
  expect(() => box.open(sealed, 'dev_2')).toThrow('belongs to another owner')
  expect(() => createSecretBox({ current, former: [] }, 'webhook').open(sealed, 'dev_1')).toThrow(
    'another ONESIXTY_SECRET',
  )
})

test('no purpose opens what another sealed, not even when it is relabelled as its own', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
      fc.pre(one !== other)
      const [mine, theirs] = [one, other].map((name) => createSecretBox({ current, former: [] }, name))
      const sealed = mine!.seal('password', 'dev_1')
      const label = theirs!.seal('x', 'dev_1').split('.')[1]!
      expect(sealed.split('.')[1]).not.toBe(label)
      expect([mine!.canOpen(sealed), theirs!.canOpen(sealed)]).toEqual([true, false])
      expect(() => theirs!.open(sealed, 'dev_1')).toThrow('another ONESIXTY_SECRET')
      const relabelled = sealed.replace(/(?<=^v1\.)[^.]+/, label)
      expect(() => theirs!.open(relabelled, 'dev_1')).toThrow('belongs to another owner')
    }),
  )
})

test('refuses what was changed at any place', () => {
  const sealed = box.seal('password', 'dev_1')
  const start = sealed.lastIndexOf('.') + 1
  fc.assert(
    fc.property(fc.integer({ min: start, max: sealed.length - 2 }), (index) => {
      const changed = sealed.slice(0, index) + (sealed[index] === 'A' ? 'B' : 'A') + sealed.slice(index + 1)
      expect(() => box.open(changed, 'dev_1')).toThrow('was changed')
    }),
  )
  expect(() => box.open(sealed.slice(0, start), 'dev_1')).toThrow('was changed')
  expect(() => box.open(sealed.replace('v1', 'v2'), 'dev_1')).toThrow(
    'a format that this version does not support',
  )
})

test('after changes of the secret the old ones beside it still open, and new texts are sealed under the new one', () => {
  const sealed = createSecretBox({ current: older, former: [] }, 'device').seal('password', 'dev_1')
  expect(() => box.open(sealed, 'dev_1')).toThrow('another ONESIXTY_SECRET')
  expect(box.canOpen(sealed)).toBe(false)

  const rotated = createSecretBox({ current, former: ['one in between'.repeat(3), older] }, 'device')
  expect(rotated.open(sealed, 'dev_1')).toBe('password')
  expect(rotated.canOpen(sealed)).toBe(true)
  const anew = rotated.seal('password', 'dev_1')
  expect(box.open(anew, 'dev_1')).toBe('password')
})

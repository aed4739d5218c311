import { expect, test } from 'vitest'
import { PumpingWatch, type Watched } from '../../src/sending/pumping-watch.ts'
import { hourMs } from '../../src/runtime/clock.ts'
import { createStubClock } from '../stub-clock.ts'

/** What a send looks like, which is stored all the same. */
function noted(
  watch: PumpingWatch,
  accountId: string,
  watched: Watched,
  numbers: readonly string[],
  most: number,
) {
  const sign = watch.signOf(accountId, watched, numbers, most)
  if (most > 0) watch.note(accountId, watched, numbers)
  return sign
}

test('who writes to thousands in an hour is looked at no more, and memory is bounded', async () => {
  const watch = new PumpingWatch({ clock: createStubClock() })
  const far = Array.from({ length: 2_001 }, (_, i) => `+49${1_000_000_000 + i * 1_000}`)
  const near = Array.from({ length: 999 }, (_, i) => `+4915177${String(i).padStart(4, '0')}`)
  expect(noted(watch, 'wide', 'others', far, 5)).toBe(null)
  expect(noted(watch, 'wide', 'others', near, 5)).toBe(null)
  expect(noted(watch, 'wide', 'codes', near, 5)).toMatchObject({ numbers: 999, all: 999 })
  // 409,500 numbers, of which 400,000 are remembered.
  for (let i = 0; i < 210; i++) watch.note(`acc_${i}`, 'others', far.slice(0, 1_950))
  // Its hour of codes made way for others.
  expect(noted(watch, 'wide', 'codes', near.slice(0, 6), 5)).toMatchObject({ numbers: 6 })
})

test('memory is bounded where hours grow that are known already', () => {
  const watch = new PumpingWatch({ clock: createStubClock() })
  const far = Array.from({ length: 1_900 }, (_, i) => `+49${1_000_000_000 + i * 1_000}`)
  const near = Array.from({ length: 6 }, (_, i) => `+4915177${String(i).padStart(4, '0')}`)
  for (const [first, end] of [
    [0, 700],
    [700, 1_900],
  ] as const)
    for (let i = 0; i < 220; i++) watch.note(`acc_${i}`, 'others', far.slice(first, end))
  expect(noted(watch, 'acc_0', 'others', near, 5)).toMatchObject({ all: 6 })
  expect(noted(watch, 'acc_219', 'others', near, 5)).toBe(null)
})

test('codes to few neighbours, to many strangers, or to neighbours as ever, look like nothing', async () => {
  const clock = createStubClock()
  const watch = new PumpingWatch({ clock })
  const block = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => `+49151777${String(from + i).padStart(4, '0')}`)
  const strangers = Array.from({ length: 40 }, (_, i) => `+49151${20 + i}12345`)
  const note = (account: string, numbers: string[], most: number) =>
    noted(watch, account, 'codes', numbers, most)
  expect(note('few', block(0, 10), 10)).toBe(null)
  expect(note('few', block(0, 10), 10)).toBe(null)
  expect(note('off', block(0, 500), 0)).toBe(null)
  expect(note('shop', [...strangers, ...block(0, 30)], 10)).toBe(null)
  // A company that writes to its own people each hour.
  note('usual', block(0, 10), 10)
  await clock.advance(hourMs)
  expect(note('usual', block(0, 30), 10)).toBe(null)
  await clock.advance(2 * hourMs)
  expect(note('usual', block(0, 30), 10)).toMatchObject({ numbers: 30, all: 30 })
})

test('a block that was a small part of the hour before, and is all of this one, is a sign', async () => {
  const clock = createStubClock()
  const watch = new PumpingWatch({ clock })
  const block = Array.from({ length: 30 }, (_, i) => `+49151777${String(i).padStart(4, '0')}`)
  const strangers = Array.from({ length: 8 }, (_, i) => `+49151${20 + i}12345`)
  watch.note('acc_a', 'codes', [...strangers, ...block.slice(0, 2)])
  await clock.advance(hourMs)
  expect(watch.signOf('acc_a', 'codes', block, 10)).toMatchObject({ numbers: 30, all: 30 })
})

import { expect, test } from 'vitest'
import { HeldOffers } from '../../src/dispatch/trust/held-offers.ts'

const trust = { maxWithOthers: 5, goodInARow: 0 }

test('each message that a phone is given takes a place among five, and each that it reports frees one', () => {
  const held = new HeldOffers(trust, () => false)
  for (let i = 0; i < 5; i++) held.given()
  expect([held.count, held.left, held.isFull]).toEqual([5, 0, true])
  held.finished()
  expect([held.count, held.left, held.isFull]).toEqual([4, 1, false])
  held.counted(0)
  held.finished()
  expect([held.count, held.left]).toEqual([0, 5])
})

test('a phone that only visits may hold as many as it has sent in a row, once these are more than five', () => {
  const visiting = (goodInARow: number): number => new HeldOffers({ ...trust, goodInARow }, () => true).most
  expect([0, 5, 6, 40].map(visiting)).toEqual([5, 5, 6, 40])
  expect(new HeldOffers({ ...trust, goodInARow: 40 }, () => false).most).toBe(5)
})

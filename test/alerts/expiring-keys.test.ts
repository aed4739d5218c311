import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type AlertHouse, openAlertHouse } from './alert-house.ts'

let house: AlertHouse
beforeEach(async () => {
  house = await openAlertHouse()
})
afterEach(() => house.closeAll())

/** Keys, the oldest first, by their names and the days until each ends. */
const addKeys = (keys: readonly (readonly [name: string, days: number | null])[]) =>
  house.storage.writer.write((tx) =>
    insertRows(
      tx,
      'api_keys',
      keys.map(([name, days], i) => ({ id: `key_${i}`, account_id: 'acc_a', mode: 'live' as const, hash: `${i}`.padEnd(64, '0'), last_four: 'abcd', name, scopes: '[]', addresses: null, daily_cap: null, created_at: 1, expires_at: days === null ? null : house.clock.now() + days * dayMs, revoked_at: null, last_used_at: null })), // prettier-ignore
    ),
  )

test('a key that ends within a week is told once, unless it is being replaced; its end is no news', async () => {
  await addKeys([
    ['Shop', 6],
    ['Later', 8],
    ['Rotated', 1],
    ['Rotated', null],
    ['Extended', 1],
    ['Extended', 90],
  ])
  await house.look()
  expect(house.told()).toEqual(['ada: API key Shop expires soon'])
  house.minutes(6.5 * 24 * 60)
  await house.look()
  expect(house.told()).toEqual(['ada: API key Later expires soon', 'ada: API key Shop expires soon'])
})

test('a later key of the same name that ends before it, or has ended, replaces none', async () => {
  await addKeys([
    ['Shop', 6],
    ['Shop', -1],
    ['Mill', 6],
    ['Mill', 2],
  ])
  await house.look()
  const [mill, shop] = ['ada: API key Mill expires soon', 'ada: API key Shop expires soon']
  expect(house.told()).toEqual([mill, mill, shop])
})

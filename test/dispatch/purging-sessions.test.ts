import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/storage/tables/schema.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
})
afterEach(() => house.close())

const insert: typeof insertRows extends (tx: never, ...rest: infer R) => unknown
  ? (...rest: R) => Promise<number>
  : never = (...rest) => house.storage.writer.write((tx) => insertRows(tx, ...rest))
const countOf = async (table: keyof Database): Promise<number> =>
  (
    await house.storage.read
      .selectFrom(table)
      .select(sql`1`.as('one'))
      .execute()
  ).length

test('sessions that ended, halves of sign-ins and answered challenges go a page at a time, and those that still work stay', async () => {
  const nowMs = house.clock.now()
  const iso = (ms: number): string => new Date(ms).toISOString()
  const at = { createdAt: iso(nowMs), updatedAt: iso(nowMs) }
  const ends = [...Array.from({ length: 1_200 }, (_, i) => iso(nowMs - i)), iso(nowMs + 1)]
  await insert('users', [{ id: 'usr_a', email: 'a@x.org', name: 'A', is_operator: 0, created_at: nowMs }])
  await insert('auth_users', [{ id: 'usr_a', email: 'a@x.org', name: 'A', emailVerified: 0, ...at }])
  const session = { userId: 'usr_a', ipAddress: null, userAgent: null, ...at }
  await insert(
    'auth_sessions',
    ends.map((expiresAt, i) => ({ id: `s${i}`, token: `t${i}`, expiresAt, ...session })),
  )
  await insert(
    'auth_verifications',
    ends.map((expiresAt, i) => ({ id: `v${i}`, identifier: `2fa-${i}`, value: 'usr_a', expiresAt, ...at })),
  )
  await insert(
    'passkey_challenges',
    ends.map((end, i) => ({ hash: String(i).padStart(64, '0'), expires_at: Date.parse(end) })),
  )
  const commits = house.storage.writer.commits
  await house.janitors().retention.sweepAll()
  const left = [countOf('auth_sessions'), countOf('auth_verifications'), countOf('passkey_challenges')]
  expect(await Promise.all(left)).toEqual([1, 1, 1])
  // Three tables, pages of 500.
  expect(house.storage.writer.commits - commits).toBeGreaterThanOrEqual(3)
})

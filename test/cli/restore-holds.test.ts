import { type CompiledQuery, sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Tx } from '../../src/storage/dialect.ts'
import { holdWaiting, releaseHeld } from '../../src/storage/epoch.ts'
import { holdsAnything } from '../../src/storage/restore-holds.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'

let fixture: TestStorage
beforeEach(async () => {
  fixture = await openTestStorage()
  await fixture.storage.writer.write(fill)
})
afterEach(() => fixture.close())

const inQueue = 45_000
const inDeferred = 40_000

async function fill(tx: Tx): Promise<void> {
  const numbers = (most: number) =>
    sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(most)})`
  await sql`${numbers(inQueue)}
    insert into queue (route_key, account_id, priority, due_at, message_id, mode, parts, expires_at, changed_at)
    select case when i % 2 = 0 then 'live:' else 'live:A' end, case when i % 3 = 0 then 'acc_a' else 'acc_b' end, i % 3, i % 7,
      'msg_' || cast(i as text), 'live', 1, 9, 1 from n where true`.execute(tx)
  await sql`${numbers(inDeferred)}
    insert into deferred (account_id, mode, message_id, reason, wake_at, route_key, priority, parts, expires_at, changed_at)
    select case when i % 2 = 0 then 'acc_a' else 'acc_b' end, 'live', 'msg_' || cast(i as text), 'scheduled', 5, 'live:', 1, 1, 9, 1
    from n where true`.execute(tx)
} // prettier-ignore

/** What `run` changes, and how many rows each of its statements does. */
const changesOf = async <T>(run: (tx: Tx) => Promise<T>): Promise<{ result: T; rows: number[] }> =>
  fixture.storage.writer.write(async (tx) => {
    const executed = vi.spyOn(tx.getExecutor(), 'executeQuery')
    const result = await run(tx)
    const results = await Promise.all(executed.mock.results.map(({ value }) => value))
    executed.mockRestore()
    return { result, rows: results.map(({ numAffectedRows }) => Number(numAffectedRows ?? 0)) }
  })

test('however many wait, each statement that holds or releases them touches a page at most', async () => {
  const all = inQueue + inDeferred
  const { writer, read } = fixture.storage
  for (const run of [(tx: Tx) => holdWaiting(tx, 1), releaseHeld]) {
    const { result, rows } = await changesOf(run)
    expect(result).toBe(all)
    expect(Math.max(...rows)).toBe(20_000)
  }
  expect(await holdsAnything(read)).toBe(false)
  await writer.write((tx) =>
    tx.updateTable('deferred').set({ restore_hold: 1 }).where('message_id', '=', 'msg_7').execute(),
  )
  expect(await holdsAnything(read)).toBe(true)
  expect((await changesOf(releaseHeld)).result).toBe(1)
})

test.for(['fresh', 'analysed'])('every page is found by the key, on %s tables', async (state) => {
  const { writer } = fixture.storage
  if (state === 'analysed') await writer.write(analyse)
  const statements = await writer.write((tx) =>
    statementsOf(tx, async () => {
      await holdWaiting(tx, 1)
      await releaseHeld(tx)
      await holdsAnything(tx)
    }),
  )
  const behind = statements.filter(({ sql: text }: CompiledQuery) => text.includes(') > ('))
  expect(behind.length).toBeGreaterThan(20)
  const steps = await stepsOf(fixture.dataFolder, ...behind)
  expect(steps.filter((step) => !step.startsWith('SEARCH '))).toEqual([])
})

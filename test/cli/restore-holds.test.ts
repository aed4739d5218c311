import { type CompiledQuery, sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cancelWaiting } from '../../src/messages/queue/finish-queued.ts'
import type { Storage } from '../../src/storage/seam/storage.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { holdWaiting, releaseHeld } from '../../src/storage/instance/epoch.ts'
import { holdsAnything, releasePage } from '../../src/storage/instance/restore-holds.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

let fixture: TestStorage
beforeEach(async () => {
  fixture = await openTestStorage()
  await fixture.storage.writer.write(fill)
})
afterEach(() => fixture.close())

/** Two pages of 20,000 and more of each; a page of `live:` alone. */
const inQueue = 24_000
const inDeferred = 20_500

async function fill(tx: Tx): Promise<void> {
  const numbers = (most: number) =>
    sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(most)})`
  await sql`${numbers(inQueue)}
    insert into queue (route_key, account_id, priority, due_at, message_id, mode, parts, expires_at)
    select case when i % 8 > 0 then 'live:' else 'live:A' end, case when i % 3 = 0 then 'acc_a' else 'acc_b' end, i % 3, i % 7,
      'msg_' || cast(i as text), 'live', 1, 9 from n where true`.execute(tx)
  await sql`${numbers(inDeferred)}
    insert into deferred (account_id, mode, message_id, reason, wake_at, route_key, priority, parts, expires_at)
    select case when i % 2 = 0 then 'acc_a' else 'acc_b' end, 'live', 'msg_' || cast(i as text), 'scheduled', 5, 'live:', 1, 1, 9
    from n where true`.execute(tx)
}

interface Changes {
  messages: number
  /** Of each transaction, how many rows each of its statements changed. */
  rows: number[][]
}

const changesOf = async (run: (storage: Pick<Storage, 'writer'>) => Promise<number>): Promise<Changes> => {
  const rows: number[][] = []
  const write = <T>(unit: (tx: Tx) => Promise<T>): Promise<T> =>
    fixture.storage.writer.write(async (tx) => {
      const executed = vi.spyOn(tx.getExecutor(), 'executeQuery')
      const result = await unit(tx)
      const results = await Promise.all(executed.mock.results.map(({ value }) => value))
      executed.mockRestore()
      rows.push(results.map(({ numAffectedRows }) => Number(numAffectedRows ?? 0)))
      return result
    })
  return { messages: await run({ writer: { write } as Writer }), rows }
}

test('however many wait, each statement that holds or releases them touches a page at most; each page is released by itself', async () => {
  const all = inQueue + inDeferred
  const { writer, read } = fixture.storage
  const held = await changesOf((storage) => storage.writer.write((tx) => holdWaiting(tx, 1)))
  const released = await changesOf(releaseHeld)
  for (const { messages, rows } of [held, released]) {
    expect(messages).toBe(all)
    expect(Math.max(...rows.flat())).toBe(20_000)
  }
  expect(held.rows).toHaveLength(1)
  for (const ofOne of released.rows)
    expect(ofOne.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(20_000)
  expect(await holdsAnything(read)).toBe(false)
  await writer.write((tx) =>
    tx.updateTable('deferred').set({ restore_hold: 1 }).where('message_id', '=', 'msg_7').execute(),
  )
  expect(await holdsAnything(read)).toBe(true)
  expect((await changesOf(releaseHeld)).messages).toBe(1)
})

const totalsOf = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await fixture.storage.read.selectFrom('queue_totals').select(['route_key', 'next_expiry_at']).execute()
    ).map((row) => [row.route_key, row.next_expiry_at]),
  )

test('a release that is cut off goes on with what is left; the expirer looks anew at the routes that were released, and at no other', async () => {
  const { writer } = fixture.storage
  await writer.write(async (tx) => {
    const total = { account_id: 'acc_a', mode: 'live', messages: 1, parts: 1, next_expiry_at: 77 } as const
    const routes = ['live:', 'live:A', 'live:Z'].map((route_key) => ({ ...total, route_key }))
    await tx.insertInto('queue_totals').values(routes).execute()
    await holdWaiting(tx, 1)
  })
  // The pages follow the order of routes: the first one has none of the second route.
  expect(await writer.write(releasePage)).toBe(20_000)
  expect(await totalsOf()).toEqual({ 'live:': 0, 'live:A': 77, 'live:Z': 77 })
  let pages = 0
  const write = <T>(unit: (tx: Tx) => Promise<T>): Promise<T> =>
    ++pages > 1 ? Promise.reject(new Error('killed')) : writer.write(unit)
  await expect(releaseHeld({ writer: { write } as Writer })).rejects.toThrow('killed')
  expect(await totalsOf()).toEqual({ 'live:': 0, 'live:A': 0, 'live:Z': 77 })
  expect(await releaseHeld({ writer })).toBe(inDeferred)
  expect(await holdsAnything(fixture.storage.read)).toBe(false)
})

// Autovacuum analyses when it likes: also while all is held, or half of it is released again. Here it does where the test says so.
test.for(['fresh', 'waits', ...(isPostgres ? ['held', 'half released'] : [])])(
  'all that waits is walked by its key and what is held found by its index, on tables as their statistics know them: %s',
  async (state) => {
    const { writer } = fixture.storage
    if (isPostgres)
      for (const table of ['queue', 'deferred'])
        await writer.write((tx) =>
          sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(tx),
        )
    if (state === 'waits') await writer.write(analyse)
    const holding = await writer.write((tx) => statementsOf(tx, () => holdWaiting(tx, 1)))
    if (state === 'half released') while ((await writer.write((tx) => releasePage(tx))) === 20_000);
    if (state.startsWith('h')) await writer.write(analyse)
    const behind = holding.filter(({ sql: text }: CompiledQuery) => text.includes(') > ('))
    // To find the end of the second page of each table, and to hold it.
    expect(behind).toHaveLength(4)
    const ends = { trigger: 'canceled', code: 'canceled' } as const
    const looks = await writer.write(async (tx) => {
      const unit = await takeChange(tx, Date.now())
      return statementsOf(tx, async () => {
        await holdsAnything(tx)
        await cancelWaiting(tx, unit, 'restore_hold', ends, 10)
        // A page of the size that it has would be a good part of tables as small as these, and rightly read with all of them.
        for (let page = 0; page < 3; page++) expect(await releasePage(tx, 100)).toBe(100)
        await tx.updateTable('queue').set({ restore_hold: 0 }).where('restore_hold', '=', 1).execute()
        for (let page = 0; page < 3; page++) expect(await releasePage(tx, 100)).toBe(100)
        await holdsAnything(tx)
      })
    })
    const steps = await stepsOf(fixture.dataFolder, ...behind)
    expect(steps.filter((step) => !step.startsWith('SEARCH '))).toEqual([])
    const ofHeld = looks.filter(({ sql: text }: CompiledQuery) => text.includes('restore_hold = 1'))
    expect(ofHeld.length).toBeGreaterThan(10)
    const found = await stepsOf(fixture.dataFolder, ...ofHeld)
    // PostgreSQL reads such an index from its beginning: nothing else stands in it.
    const walks = found.filter((step) => /^SCAN (q|queue|d|deferred)\b/.test(step))
    expect(walks.filter((step) => !/ (queue|deferred)_held\b/.test(step))).toEqual([])
  },
)

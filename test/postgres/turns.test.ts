import type { Client } from 'pg'
import { expect, test } from 'vitest'
import type { Storage } from '../../src/storage/seam/storage.ts'
import { mergedUnits } from '../../src/storage/seam/merged-units.ts'
import { eventually } from '../eventually.ts'
import { openServed } from './served-storage.ts'

const holdLock = 'begin; select pg_advisory_xact_lock(160160160)'

/** Until the writer has stood in line for the lock for longer than it takes a free one. */
const waitsInLine = (beside: Client): Promise<unknown> =>
  eventually(
    async () =>
      (
        await beside.query(
          "select 1 from pg_stat_activity where application_name = 'served' and wait_event = 'advisory' and datname = current_database() and clock_timestamp() - query_start > interval '5 ms'",
        )
      ).rows.length,
    (count) => expect(count).toBe(1),
  )

const ask = (storage: Pick<Storage, 'writer'>): Promise<unknown> =>
  storage.writer.write(async (tx) => tx.selectFrom('accounts').select('id').execute())

test('what comes while a transaction waits for that of another node shares it, once nodes are known to stand in line', async () => {
  const { storage, beside } = await openServed({ statementTimeoutMs: 60_000 })
  const transactionsOf = async (...waves: number[]): Promise<number> => {
    const before = storage.writer.commits
    await beside.query(holdLock)
    const asked: Promise<unknown>[] = []
    for (const wave of waves) {
      for (let i = 0; i < wave; i++) asked.push(ask(storage))
      await waitsInLine(beside)
    }
    await beside.query('commit')
    expect(await Promise.all(asked)).toEqual(asked.map(() => []))
    return storage.writer.commits - before
  }
  // Of the first wait nobody could know: its statements had crossed already.
  expect(await transactionsOf(1)).toBe(1)
  expect(await transactionsOf(1, 2, 5)).toBe(1)
})

test('a writer alone begins in the round trip of its first statement, and again when nobody stands in line any more', async () => {
  const { storage, beside, proxy } = await openServed({ statementTimeoutMs: 60_000 })
  /** What the server was asked last while it gives no answer. */
  const askedUnanswered = async (): Promise<string> => {
    proxy.set('toClient', { hold: true })
    const asked = ask(storage)
    const last = await eventually(
      async () =>
        (
          await beside.query<{ query: string }>(
            "select query from pg_stat_activity where application_name = 'served' and state = 'idle in transaction' and datname = current_database()",
          )
        ).rows,
      (rows) => expect(rows).toHaveLength(1),
    )
    proxy.heal()
    await asked
    return last[0]?.query ?? ''
  }
  const alone = 'select "id" from "accounts"'
  // A busy machine lets a writer wait for a free lock too, now and then.
  const begins = (query: string) => eventually(askedUnanswered, (asked) => expect(asked).toBe(query))
  await begins(alone)

  await beside.query(holdLock)
  const waiting = ask(storage)
  await waitsInLine(beside)
  await beside.query('commit')
  await waiting
  expect(await askedUnanswered()).toMatch(/^begin; /)
  await begins(alone)
})

test('calls that come while their transaction waits are merged into one as well', async () => {
  const { storage, beside } = await openServed({ statementTimeoutMs: 60_000 })
  const runs: string[][] = []
  const note = async (_: unknown, names: readonly string[]): Promise<string[]> => {
    runs.push([...names])
    return [...names]
  }
  const merging = { note: (names: string[]) => names.length }
  const run = mergedUnits({ writer: storage.writer, units: { note }, merging, maxWeight: 4 }).get('note')!
  const callWhileOthersWrite = async (...waves: string[][]): Promise<unknown[]> => {
    await beside.query(holdLock)
    const called: Promise<unknown>[] = []
    for (const wave of waves) {
      called.push(run(wave))
      await waitsInLine(beside)
    }
    await beside.query('commit')
    return Promise.all(called)
  }
  await callWhileOthersWrite(['known to stand in line from here'])
  expect(await callWhileOthersWrite(['a'], ['b', 'c'], ['d'], ['e'])).toEqual([
    ['a'],
    ['b', 'c'],
    ['d'],
    ['e'],
  ])
  expect(runs.slice(1), 'as many as may be in one').toEqual([['a', 'b', 'c', 'd'], ['e']])
})

import { beforeEach, expect, test } from 'vitest'
import { allDone } from '../../src/runtime/all-done.ts'
import type { SelectEach, StorageError, Tx } from '../../src/storage/seam/dialect.ts'
import {
  addToRows, adjustRows, deleteRows, insertRows, selectEach, together, updateRows,
} from '../../src/storage/seam/sets.ts' // prettier-ignore
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { deferred, deferredKey, rowsOf, sums, total, totalKey, way } from './together-rows.ts'
import { watchCrossings } from './watch-crossings.ts'

let store: TestStorage

beforeEach(async () => {
  store = await openTestStorage()
  return () => store.close()
})

const unit = <T>(run: (tx: Tx) => Promise<T>): Promise<T> =>
  store.storage.writer.write((tx) => together(tx, () => run(tx)))

/** The statements between the beginning and the end of the transaction of a unit. */
async function textsOf(run: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  const { statements } = await watchCrossings(() => unit(run))
  expect([statements[0]?.slice(0, 6), statements.at(-1)]).toEqual(['begin;', 'commit'])
  return statements.slice(1, -1)
}

test('what a unit posts at once is one text, in which each statement has a count of its own', async () => {
  let counts: number[] = []
  const texts = await textsOf(async (tx) => {
    counts = await allDone([
      insertRows(tx, 'queue_totals', [total('a', 1), total('b', 2)]),
      insertRows(tx, 'ways', [way('w'), way('w')], 'ignore'),
      adjustRows(tx, 'deferred_totals', { key: deferredKey, amounts: sums }, [deferred('a', 3)]),
      addToRows(tx, 'traffic_times', { key: ['account_id'], amounts: ['messages'] }, []),
    ])
  })
  expect(counts).toEqual([2, 1, 0, 0])
  expect(texts).toHaveLength(1)
  expect(texts[0]).toMatch(
    /^with p0 as \(insert into queue_totals .* p1 as \(insert into ways .* p2 as \(update deferred_totals /,
  )
})

test('what a unit posts once it has an answer is the next text', async () => {
  const texts = await textsOf(async (tx) => {
    await insertRows(tx, 'queue_totals', [total('a', 1)])
    await insertRows(tx, 'ways', [way('w')])
  })
  expect(texts.map((text) => /^insert into \w+/.exec(text)?.[0])).toEqual(['insert into queue_totals', 'insert into ways'])
}) // prettier-ignore

test('a second statement on a table begins the next text, which sees what the first has done', async () => {
  let counts: number[] = []
  const texts = await textsOf(async (tx) => {
    counts = await allDone([
      insertRows(tx, 'queue_totals', [total('a', 1)]),
      insertRows(tx, 'ways', [way('w')]),
      updateRows(tx, 'queue_totals', totalKey, [total('a', 5)]),
      deleteRows(tx, 'ways', ['id'], [way('w')]),
      updateRows(tx, 'queue_totals', totalKey, [total('a', 6)], {
        expected: { column: 'messages', of: () => 5 },
      }),
    ])
  })
  expect(counts).toEqual([1, 1, 1, 1, 1])
  expect(texts).toHaveLength(3)
  expect(await rowsOf(store.storage.writer)).toEqual([[total('a', 6)], [], []])
})

test('a statement that shares no text keeps its place: it runs behind what was posted before', async () => {
  const rows = await unit(async (tx) => {
    const [, found] = await allDone([
      insertRows(tx, 'ways', [way('w')]),
      tx.selectFrom('ways').select('id').execute(),
    ])
    return found
  })
  expect(rows).toEqual([{ id: 'w' }])
})

test('reads that find few rows are one text; each gets its rows, in the order of its inputs', async () => {
  await unit((tx) => insertRows(tx, 'queue_totals', [total('a', 1), total('b', 2)]))
  const one: SelectEach = { sql: 'select account_id, messages, next_expiry_at > 5 as late from queue_totals where account_id = :account', inputs: ['account'], few: true } // prettier-ignore
  const echo: SelectEach = { sql: 'select :text as text, :n as n', inputs: ['text', 'n'], numbers: ['n'], few: true } // prettier-ignore
  const none: SelectEach = { ...one, sql: `${one.sql} and messages < 0` }
  let found: unknown
  const read = async (tx: Tx) => {
    found = await allDone([
      selectEach(tx, one, [['b'], ['missing'], ['a']]),
      selectEach(tx, none, [['a']]),
      selectEach(tx, echo, [['"{}', 9_007_199_254_740_991], ['ü', null]]), // prettier-ignore
      insertRows(tx, 'ways', [way('w')]),
    ])
  }
  const texts = await textsOf(read)
  const expected = [
    [{ account_id: 'b', messages: 2, late: 0 }, { account_id: 'a', messages: 1, late: 0 }],
    [],
    [{ text: '"{}', n: 9_007_199_254_740_991 }, { text: 'ü', n: null }],
    1,
  ] // prettier-ignore
  expect(found).toEqual(expected)
  expect(texts.map((text) => text.split(' ')[0])).toEqual(['select', 'insert'])
  await unit((tx) => deleteRows(tx, 'ways', ['id'], [way('w')]))
  await store.storage.writer.write(read)
  expect(found, 'one by one').toEqual(expected)
})

test('a read sees what was posted before it in its turn, and nothing of what was posted after it', async () => {
  const sumOf: SelectEach = { sql: 'select sum(messages) as sum from queue_totals where account_id = :account', inputs: ['account'], few: true } // prettier-ignore
  let found: unknown[] = []
  const texts = await textsOf(async (tx) => {
    found = await allDone([
      selectEach(tx, sumOf, [['a']]),
      insertRows(tx, 'queue_totals', [total('a', 1)]),
      insertRows(tx, 'ways', [way('w')]),
      selectEach(tx, sumOf, [['a']]),
      updateRows(tx, 'queue_totals', totalKey, [total('a', 5)]),
    ])
  })
  expect(found).toEqual([[{ sum: null }], 1, 1, [{ sum: 1 }], 1])
  expect(texts.map((text) => text.split(' ')[0])).toEqual(['select', 'with', 'select', 'update'])
})

test('if one statement of a text fails, all of it fail for its reason, and the unit alone is rolled back', async () => {
  const beside = store.storage.writer.write((tx) => insertRows(tx, 'ways', [way('of another unit')]))
  let reasons: unknown[] = []
  const failing = unit(async (tx) => {
    const posted = [
      insertRows(tx, 'queue_totals', [total('a', 1)]),
      insertRows(tx, 'deferred_totals', [deferred('a', -1)]),
      insertRows(tx, 'ways', [way('w')]),
    ]
    reasons = (await Promise.allSettled(posted)).map((each) => each.status === 'rejected' && each.reason)
    return allDone(posted)
  })
  const after = store.storage.writer.write((tx) => insertRows(tx, 'ways', [way('of a later unit')]))
  await expect(failing).rejects.toMatchObject({ fault: 'constraint', transactionLost: false })
  const said = (reasons as StorageError[]).map(({ message }) => message)
  expect(new Set(said).size).toBe(1)
  expect(said[0]).toContain('deferred_totals_messages_check')
  expect([await beside, await after]).toEqual([1, 1])
  expect(await rowsOf(store.storage.writer)).toEqual([[], [], [way('of a later unit'), way('of another unit')]])
}) // prettier-ignore

test.for(['shared', 'alone'])('what is posted while COMMIT is under way is rejected, and changes nothing: %s', async (how) => {
  let open: Tx | null = null
  const late: Promise<unknown>[] = []
  const add = (id: string): Promise<number> => {
    const insert = (): Promise<number> => insertRows(open as Tx, 'ways', [way(id)])
    return how === 'shared' ? together(open as Tx, insert) : insert()
  }
  const { statements } = await watchCrossings(
    () => store.storage.writer.write((tx) => ((open = tx), add('in time'))),
    (text) => {
      if (text === 'commit') late.push(add('late').catch((error: unknown) => (error as Error).message))
    },
  )
  expect([statements.at(-1), await late[0]]).toEqual(['commit', 'the transaction of this statement has ended'])
  expect(await rowsOf(store.storage.writer)).toEqual([[], [], [way('in time')]])
}) // prettier-ignore

test('foreign keys hold within a text: a row and the one that it names come together, and none comes without', async () => {
  const wallet = (account_id: string) => ({ account_id, mode: 'live' as const, granted: 0, reserved: 0, used: 0, used_archived: 0, low_threshold: 0, refilled_day: null }) // prettier-ignore
  const day = (account_id: string) => ({ account_id, mode: 'live' as const, day: 1, parts: 1 })
  const add = (walletOf: string, dayOf: string) =>
    unit((tx) =>
      allDone([insertRows(tx, 'wallets', [wallet(walletOf)]), insertRows(tx, 'usage_days', [day(dayOf)])]),
    )
  await store.storage.writer.write(
    (tx) =>
    insertRows(tx, 'accounts', ['a', 'b'].map((id) => ({ id, name: id, state: 'active' as const, created_at: 1, updated_at: 1 }))), // prettier-ignore
  )
  await add('a', 'a')
  await expect(add('b', 'elsewhere')).rejects.toMatchObject({ fault: 'constraint' })
  const { read } = store.storage
  expect(await read.selectFrom('wallets').select('account_id').execute()).toEqual([{ account_id: 'a' }])
})

test('a unit that does not ask for it shares nothing, also in the transaction of one that does', async () => {
  const both = (tx: Tx) =>
    allDone([
      insertRows(tx, 'queue_totals', [total('a', 1)], 'ignore'),
      insertRows(tx, 'ways', [way('w')], 'ignore'),
    ])
  const { statements } = await watchCrossings(() =>
    Promise.all([unit(both), store.storage.writer.write(both), unit(both)]),
  )
  const changes = statements.filter((text) => /^(with|insert)/.test(text))
  expect(changes.map((text) => text.split(' ')[0])).toEqual(['with', 'insert', 'insert', 'with'])
})

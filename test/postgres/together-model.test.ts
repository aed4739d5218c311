import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { allDone } from '../../src/runtime/all-done.ts'
import type { SelectEach, StorageError, Tx } from '../../src/storage/seam/dialect.ts'
import {
  addToRows, adjustRows, deleteRows, insertRows, selectEach, together, updateRows,
} from '../../src/storage/seam/sets.ts' // prettier-ignore
import type { Writer } from '../../src/storage/seam/writer.ts'
import { type NearStore, openNearStore } from '../near-store.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { deferred, deferredKey, rowsOf, sums, total, totalKey, way } from './together-rows.ts'

let store: TestStorage
let embedded: NearStore

beforeAll(async () => void (embedded = await openNearStore(0)))
beforeEach(async () => {
  embedded.clear()
  store = await openTestStorage()
  return () => store.close()
})
afterAll(() => embedded.close())

const accounts = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 0, maxLength: 4 })
const amount = fc.integer({ min: 0, max: 3 })
const statement = fc.record({
  verb: fc.constantFrom('insert', 'ignore', 'update', 'expected', 'delete', 'adjust', 'add', 'read' as const),
  table: fc.constantFrom('queue_totals', 'deferred_totals', 'ways' as const),
  accounts,
  amount,
})
type Asked = typeof statement extends fc.Arbitrary<infer A> ? A : never

/** A unit of turns of statements, each turn posted at once. */
const turns = fc.array(fc.array(statement, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 })

/** Sums of all rows, so that each statement before it shows. */
const sumOf = (sql: string): SelectEach => ({ sql, inputs: ['least'], few: true })
const sumsOf = {
  queue_totals: sumOf('select count(*) as n, sum(messages) as sum, min(next_expiry_at) as least from queue_totals where parts >= :least'),
  deferred_totals: sumOf('select count(*) as n, sum(messages) as sum from deferred_totals where parts >= :least'),
  ways: sumOf('select count(*) as n from ways where created_at >= :least'),
} // prettier-ignore

function post(tx: Tx, { verb, table, accounts: of, amount: sum }: Asked): Promise<unknown> {
  if (verb === 'read') return selectEach(tx, sumsOf[table], [[sum], [0]])
  if (table === 'ways') {
    const rows = of.map(way)
    if (verb === 'delete') return deleteRows(tx, table, ['id'], rows)
    return insertRows(tx, table, rows, verb === 'insert' ? 'fail' : 'ignore')
  }
  return table === 'queue_totals'
    ? change(tx, verb, table, totalKey, of.map((name) => total(name, verb === 'adjust' ? sum - 2 : sum)), sum) // prettier-ignore
    : change(tx, verb, table, deferredKey, of.map((name) => deferred(name, verb === 'adjust' ? sum - 2 : sum)), sum) // prettier-ignore
}

function change(
  tx: Tx,
  verb: Exclude<Asked['verb'], 'read'>,
  table: 'queue_totals' | 'deferred_totals',
  key: readonly never[] | readonly string[],
  rows: readonly object[],
  sum: number,
): Promise<number> {
  const [keyed, all] = [key as never, rows as never[]]
  switch (verb) {
    case 'insert':
      return insertRows(tx, table, all)
    case 'ignore':
      return insertRows(tx, table, all, 'ignore')
    case 'update':
      return updateRows(tx, table, keyed, all)
    case 'expected':
      return updateRows(tx, table, keyed, all, { expected: { column: 'messages', of: () => sum + 1 } })
    case 'delete':
      return deleteRows(tx, table, keyed, rows)
    case 'adjust':
      return adjustRows(tx, table, { key: keyed, amounts: sums }, all)
    default:
      return addToRows(tx, table, { key: keyed, amounts: sums, ...(table === 'queue_totals' && { lowest: ['next_expiry_at'] as never }) }, all) // prettier-ignore
  }
}

const outcomeOf = (writer: Writer, unitOf: readonly (readonly Asked[])[]): Promise<unknown> =>
  writer
    .write((tx) =>
      together(tx, async () => {
        const found: unknown[][] = []
        for (const turn of unitOf) found.push(await allDone(turn.map((asked) => post(tx, asked))))
        return found
      }),
    )
    .catch((error: unknown) => (error as StorageError).fault)

/** Units that are written at once share a transaction; one that fails is rolled back alone. */
const atOnce = fc.array(turns, { minLength: 1, maxLength: 3 })

test(
  'any units leave the same rows, counts and sums as on SQLite, where their statements run one by one',
  { timeout: endAfter(60_000) },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(atOnce, { minLength: 1, maxLength: 3 }), async (groups) => {
        for (const units of groups) {
          const [found, expected] = await allDone(
            [store.storage.writer, embedded.writer].map((writer) =>
              allDone(units.map((unitOf) => outcomeOf(writer, unitOf))),
            ),
          )
          expect(found).toEqual(expected)
        }
        expect(await rowsOf(store.storage.writer)).toEqual(await rowsOf(embedded.writer))
      }),
      { numRuns: sizeOf('SHARED_TEXTS') },
    )
  },
)

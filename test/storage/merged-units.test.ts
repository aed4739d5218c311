import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { StorageError, type StorageFault, type Tx } from '../../src/storage/seam/dialect.ts'
import { mergedUnits } from '../../src/storage/seam/merged-units.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type NearStore, openNearStore } from '../near-store.ts'

let store: NearStore
beforeAll(async () => {
  store = await openNearStore(0)
})
afterAll(() => store.close())

/** What each run of the unit was given. */
let runs: string[][]
/** Thrown by a run of more than one item. */
let failure: Error | null
/** The name that the database fails on in a way of its own. */
let strange: string | null
beforeEach(() => {
  strange = null
  store.clear()
  runs = []
  failure = null
})

/** Makes a user for each name. The table refuses a name twice, the unit itself the name `bug`. */
async function addUsers(tx: Tx, names: readonly string[]): Promise<string[]> {
  runs.push([...names])
  if (failure !== null) throw failure
  if (strange !== null && names.includes(strange)) throw new StorageError('too big', 'other', false)
  if (names.includes('bug')) throw new TypeError('a bug')
  const rows = names.map((name) => ({ id: name, email: name, name, is_operator: 0 as const, created_at: 0 }))
  await insertRows(tx, 'users', rows)
  return names.map((name) => `made ${name}`)
}

/** Calls that wait together; what came of each. */
async function call(...calls: string[][]): Promise<unknown[]> {
  const { writer } = store
  const merging = { addUsers: (names: string[]) => names.length }
  const run = mergedUnits({ writer, units: { addUsers }, merging, maxWeight: 100 }).get('addUsers')!
  const settled = await Promise.allSettled(calls.map((names) => run(names)))
  return settled.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)))
}
const users = async () =>
  (await store.db.selectFrom('users').select('id').orderBy('id').execute()).map(({ id }) => id)

test('calls that wait together run once, and each gets its own results', async () => {
  expect(await call(['a', 'b'], [], ['c'])).toEqual([['made a', 'made b'], [], ['made c']])
  expect(runs).toEqual([['a', 'b', 'c']])
})

test('what the database refuses of one call it refuses of that call alone: each is tried by itself', async () => {
  expect(await call(['a'], ['b', 'b'], ['c'])).toEqual([
    ['made a'],
    expect.stringMatching(/^StorageError: .*UNIQUE/),
    ['made c'],
  ])
  expect(runs).toEqual([['a', 'b', 'b', 'c'], ['a'], ['b', 'b'], ['c']])
  expect(await users()).toEqual(['a', 'c'])
})

test('nor does a neighbour fail for what the database cannot make sense of', async () => {
  strange = 'b'
  expect(await call(['a'], ['b'], ['c'])).toEqual([['made a'], 'StorageError: too big', ['made c']])
  expect(await users()).toEqual(['a', 'c'])
})

test('nor does a neighbour fail for a bug that one call meets', async () => {
  expect(await call(['a'], ['bug'], ['c'])).toEqual([['made a'], 'TypeError: a bug', ['made c']])
  expect(await users()).toEqual(['a', 'c'])
})

test('a call that failed by itself is not tried again', async () => {
  expect(await call(['a', 'a'])).toEqual([expect.stringContaining('UNIQUE')])
  expect(runs).toEqual([['a', 'a']])
})

test.for(['full', 'busy', 'unavailable', 'closed'] as const satisfies StorageFault[])(
  'what would refuse each of them, as a database that is %s does, is not tried again',
  async (fault) => {
    failure = new StorageError('not now', fault, false)
    expect(await call(['a'], ['b'])).toEqual(['StorageError: not now', 'StorageError: not now'])
    expect(runs).toEqual([['a', 'b']])
    expect(await users()).toEqual([])
  },
)

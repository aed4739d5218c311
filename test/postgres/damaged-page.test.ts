import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { refusalFrom } from '../../src/api/edge/problem.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { mergedUnits } from '../../src/storage/seam/merged-units.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

async function open(): Promise<TestStorage['storage']> {
  const { storage, close } = await openTestStorage()
  onTestFinished(close)
  return storage
}

/** Makes users; at the name `damaged` the server says what it says of a page that it cannot read. */
async function addUsers(tx: Tx, names: readonly string[]): Promise<string[]> {
  if (names.includes('damaged'))
    await sql`do $$ begin raise exception 'invalid page in block 7 of relation base/5/16390' using errcode = 'data_corrupted'; end $$`.execute(
      tx,
    )
  const rows = names.map((name) => ({ id: name, email: name, name, is_operator: 0 as const, created_at: 0 }))
  await insertRows(tx, 'users', rows)
  return [...names]
}

const usersOf = async (storage: TestStorage['storage']): Promise<string[]> =>
  (await storage.read.selectFrom('users').select('id').orderBy('id').execute()).map(({ id }) => id)

const metPage = { fault: 'damaged_page', transactionLost: false }

test('a unit that meets a damaged page fails alone: those beside it in its transaction are stored', async () => {
  const storage = await open()
  const write = (...names: string[]) => storage.writer.write((tx) => addUsers(tx, names))
  const [before, failed, behind] = await Promise.allSettled([write('a'), write('b', 'damaged'), write('c')])
  expect([before.status, behind.status]).toEqual(['fulfilled', 'fulfilled'])
  expect(failed).toMatchObject({ status: 'rejected', reason: metPage })
  expect(await usersOf(storage)).toEqual(['a', 'c'])
})

test('whoever meets it is told so, and the database takes writes all the same', async () => {
  const storage = await open()
  const error = await storage.writer
    .write((tx) => addUsers(tx, ['damaged']))
    .catch((thrown: unknown) => thrown)
  expect(refusalFrom(error)).toMatchObject({ code: 'storage_damaged' })
  expect(storage.writer.trouble()).toBeNull()
})

test('nor do calls fail that were merged with one that meets it', async () => {
  const storage = await open()
  const merging = { addUsers: (names: string[]) => names.length }
  const run = mergedUnits({ writer: storage.writer, units: { addUsers }, merging, maxWeight: 100 }).get(
    'addUsers',
  )!
  const ends = await Promise.allSettled([run(['a']), run(['damaged']), run(['c'])])
  expect(ends).toMatchObject([{ value: ['a'] }, { reason: metPage }, { value: ['c'] }])
  expect(await usersOf(storage)).toEqual(['a', 'c'])
})

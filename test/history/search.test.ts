import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyMessage, type HistoryPosition, maxRowsRead } from '../../src/messages/history/history-query.ts'
import { searchHistory } from '../../src/messages/history/history-search.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { ada, idsOf, store, storedMessage } from './stored-messages.ts'

let base: TestStorage
let rare: string[]

/** Three times as many messages as one page reads; one in a thousand is to the number that is looked for. */
beforeAll(async () => {
  base = await openTestStorage()
  const rows = Array.from({ length: 3 * maxRowsRead }, (_, i) =>
    storedMessage({
      id: base.ids('msg'),
      created_at: base.clock.now(),
      text: i % 1_000 === 0 ? 'Needle' : 'hay',
    }),
  )
  await store(base.storage, rows)
  rare = idsOf(rows.filter((row) => row.text === 'Needle')).toReversed()
})
afterAll(() => base.close())

const search = (patienceMs: number, limit: number, position: HistoryPosition | null = null) =>
  searchHistory(
    { read: base.storage.read, clock: stepping() },
    { owner: ada, query: { ...everyMessage, text: 'needle' }, position, limit },
    patienceMs,
  )

/** Each look at it is 10 ms later than the one before. */
const stepping = () => {
  let nowMs = 0
  return { monotonicMs: () => (nowMs += 10) }
}

test('a search for what is rare goes on over thin pages until it has a page', async () => {
  const page = await search(1_000, 4)
  expect(idsOf(page.rows)).toEqual(rare.slice(0, 4))
  const second = await search(1_000, 4, page.next)
  expect({ ids: idsOf(second.rows), next: second.next }).toEqual({ ids: rare.slice(4), next: null })
})

test('a search that takes too long gives what it has and where to go on', async () => {
  const first = await search(5, 100)
  expect(first.rows.length).toBeLessThan(rare.length)
  expect(first.next).not.toBeNull()

  const found = idsOf(first.rows)
  for (let { next } = first; next !== null;) {
    const page = await search(5, 100, next)
    found.push(...idsOf(page.rows))
    next = page.next
  }
  expect(found).toEqual(rare)
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Change, takeChange } from '../../src/messages/core/change-number.ts'
import { recordChanges } from '../../src/messages/core/message-changes.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import {
  everyMessage,
  type HistoryPosition,
  type HistoryQuery,
  maxRowsRead,
} from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { insertRows, updateRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { ada, idsOf, store, storedMessage, walkHistory } from './stored-messages.ts'

/** Pages by change while units commit: what each shows, and what none may pass by. */
let base: TestStorage
beforeEach(async () => {
  base = await openTestStorage()
})
afterEach(() => base.close())

const newMessages = (count: number, more: Partial<MessageRow> = {}): MessageRow[] =>
  Array.from({ length: count }, () =>
    storedMessage({ id: base.ids('msg'), created_at: base.clock.now(), ...more }),
  )

const inUnit = <T>(work: (tx: Tx, unit: Change) => Promise<T>): Promise<T> =>
  base.storage.writer.write(async (tx) => work(tx, await takeChange(tx, base.clock.now())))

/** The messages change once more: the rows after it. */
async function change(tx: Tx, unit: Change, rows: readonly MessageRow[]): Promise<MessageRow[]> {
  const changed = rows.map((row) => ({ ...row, sequence: row.sequence + 1, updated_at: unit.atMs }))
  await updateRows(tx, 'messages', ['account_id', 'mode', 'id'], changed)
  await recordChanges(tx, unit, changed)
  return changed
}

const changed: Partial<HistoryQuery> = { updatedAfterMs: 1 }
const pageAfter = (position: HistoryPosition | null, limit = 100, query = changed) =>
  readHistory(base.storage.read, { owner: ada, query: { ...everyMessage, ...query }, position, limit })

test('a unit with many messages of an account is paged through, wherever a page ends in it', async () => {
  const rows = newMessages(250)
  await store(base.storage, rows)
  for (const limit of [7, 99, 100, 101, 249, 250]) {
    const walk = await walkHistory(base.storage, { query: changed, limit })
    expect(idsOf(walk.rows)).toEqual(idsOf(rows))
    expect(walk.pages).toBe(Math.ceil(250 / limit))
  }
})

test('a message that a unit changed twice is shown once, as the unit left it', async () => {
  const [first, second] = newMessages(2) as [MessageRow, MessageRow]
  await store(base.storage, [first, second])
  await inUnit(async (tx, unit) => change(tx, unit, await change(tx, unit, [first])))
  for (const limit of [1, 100]) {
    const { rows } = await walkHistory(base.storage, { query: changed, limit })
    expect(rows.map(({ id, sequence }) => [id, sequence])).toEqual([
      [second.id, 1],
      [first.id, 3],
    ])
  }
})

test('a message that changes while pages are read is shown where it stands then, and its earlier place is passed by', async () => {
  const rows = newMessages(6)
  await store(base.storage, rows)
  const first = await pageAfter(null, 2)
  expect(idsOf(first.rows)).toEqual(idsOf(rows.slice(0, 2)))
  // One that was shown, and one that was not.
  await inUnit((tx, unit) => change(tx, unit, [rows[0]!, rows[3]!]))
  const rest = await pageAfter(first.next, 100)
  expect(rest.rows.map(({ id, sequence }) => [id, sequence])).toEqual([
    [rows[2]!.id, 1],
    [rows[4]!.id, 1],
    [rows[5]!.id, 1],
    [rows[0]!.id, 2],
    [rows[3]!.id, 2],
  ])
})

test('a message that is claimed while its page is read is shown where it was claimed alone', async () => {
  const [row] = newMessages(1) as [MessageRow]
  await store(base.storage, [row])
  const executor = base.storage.read.getExecutor()
  const executeQuery = executor.executeQuery.bind(executor)
  const read = vi.spyOn(executor, 'executeQuery').mockImplementationOnce(async (query) => {
    const answer = await executeQuery(query)
    await claim(row)
    return answer
  })
  const first = await pageAfter(null)
  expect(first.rows).toEqual([])
  expect((await pageAfter(first.readTo!)).rows).toMatchObject([
    { id: row.id, sequence: 2, status: 'sending' },
  ])
  read.mockRestore()
})

/** Opens an attempt, which is a change of the message. */
const claim = ({ account_id, mode, id, sequence }: MessageRow): Promise<void> =>
  inUnit(async (tx, unit) => {
    const attempt = {
      number: 1,
      id: base.ids('att'),
      device_id: 'dev_1',
      fence: 1,
      state: 'handing_over',
    } as const
    await insertRows(tx, 'attempts', [
      { account_id, mode, message_id: id, ...attempt, started_at: unit.nowMs },
    ])
    await recordChanges(tx, unit, [{ account_id, mode, id, sequence: sequence + 1 }])
  })

test('where a page ended is where the next one begins, also in the same millisecond', async () => {
  await store(base.storage, newMessages(3))
  const { readTo, next } = await pageAfter(null)
  expect(next).toBeNull()
  const later = newMessages(2)
  await store(base.storage, later)
  expect(idsOf((await pageAfter(readTo!)).rows)).toEqual(idsOf(later))
})

test('a unit whose clock is behind comes after what was read before it, at the time of that', async () => {
  await store(base.storage, newMessages(1))
  const { readTo } = await pageAfter(null)
  const beforeMs = base.clock.now()
  base.clock.jumpWallClock(-3_600_000)
  const [row] = newMessages(1) as [MessageRow]
  const atMs = await inUnit(async (tx, unit) => {
    await insertRows(tx, 'messages', [{ ...row, updated_at: unit.atMs }])
    await recordChanges(tx, unit, [row])
    return unit.atMs
  })
  expect(atMs).toBe(beforeMs)
  expect(idsOf((await pageAfter(readTo!)).rows)).toEqual([row.id])
})

test('a cursor of an earlier version goes on at its time: nothing is left out, what changed in that millisecond comes again', async () => {
  const early = newMessages(2)
  await store(base.storage, early)
  await base.clock.advance(1)
  const same = newMessages(3)
  await store(base.storage, same)
  await base.clock.advance(1)
  const late = newMessages(2)
  await store(base.storage, late)
  const former = { updatedAtMs: same[1]!.updated_at, id: same[1]!.id }
  expect(idsOf((await pageAfter(former)).rows)).toEqual(idsOf([...same, ...late]))
})

test('so does one of a query for IDs, which otherwise goes on within the millisecond', async () => {
  const rows = newMessages(3)
  await store(base.storage, rows)
  const query = { ...changed, ids: idsOf(rows) }
  const first = await pageAfter(null, 2, query)
  const { change: _, ...former } = first.next!
  expect(idsOf((await pageAfter(former, 100, query)).rows)).toEqual(idsOf(rows))
  expect(idsOf((await pageAfter(first.next, 100, query)).rows)).toEqual([rows[2]!.id])
})

test('a page for IDs ends within a millisecond of many changes where it should', async () => {
  const rows = newMessages(3)
  const others = newMessages(260)
  await store(base.storage, [...others, ...rows])
  // The first of them changes again, in a later unit of the same millisecond, behind others.
  await inUnit((tx, unit) => change(tx, unit, others))
  await inUnit((tx, unit) => change(tx, unit, [rows[0]!]))
  const query = { ...changed, ids: idsOf(rows) }
  const { rows: shown, pages } = await walkHistory(base.storage, { query, limit: 1 })
  expect(idsOf(shown)).toEqual([rows[1]!.id, rows[2]!.id, rows[0]!.id])
  expect(pages).toBe(3)
})

test('a page reads a bounded number of changes, shows where it ended, and leaves nothing out', async () => {
  const others = newMessages(maxRowsRead + 100)
  const wanted = newMessages(1, { recipient: '+15005550006' })
  await store(base.storage, [...others, ...wanted])
  const query = { ...changed, to: '+15005550006' }
  const first = await pageAfter(null, 10, query)
  expect(first.rows).toEqual([])
  expect(first.next).not.toBeNull()
  const second = await pageAfter(first.next, 10, query)
  expect(idsOf(second.rows)).toEqual(idsOf(wanted))
  expect(second.next).toBeNull()
})

test('changes that are out of date are passed by: a page shows what is there, however often it changed', async () => {
  let rows = newMessages(3)
  await store(base.storage, rows)
  for (let i = 0; i < 60; i++) rows = await inUnit((tx, unit) => change(tx, unit, rows))
  const { rows: shown, pages } = await walkHistory(base.storage, { query: changed, limit: 2 })
  expect(shown.map(({ id, sequence }) => [id, sequence])).toEqual(rows.map(({ id }) => [id, 61]))
  expect(pages).toBe(2)
})

test('changes of another account or mode are not shown, though one unit made them', async () => {
  const [own] = newMessages(1) as [MessageRow]
  const foreign = newMessages(1, { account_id: 'acc_bob' })
  const ofTest = newMessages(1, { mode: 'test' })
  await store(base.storage, [own, ...foreign, ...ofTest])
  expect(idsOf((await pageAfter(null)).rows)).toEqual([own.id])
})

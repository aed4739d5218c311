import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ExportRow, writeFile } from '../../src/api/console/messages/history-file.ts'
import { countExport, readExport } from '../../src/messages/history/history-export.ts'
import { everyMessage, type HistoryQuery } from '../../src/messages/history/history-query.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { ada, deliveredAt, failedAt, idsOf, store, storedMessage, walkHistory } from './stored-messages.ts'

let base: TestStorage
beforeAll(async () => {
  base = await openTestStorage()
  const rows: MessageRow[] = []
  for (let i = 0; i < 6_000; i++) {
    if (i % 100 === 0) await base.clock.advance(50)
    const created_at = base.clock.now()
    const end = i % 40 === 0 ? failedAt(created_at, 'unreachable') : deliveredAt(created_at)
    rows.push(storedMessage({ id: base.ids('msg'), created_at, client_reference: `order-${i % 3}`, ...end }))
  }
  await store(base.storage, rows)
})
afterAll(() => base.close())

const exportOf = (query: Partial<HistoryQuery>, nowMs = base.clock.now()) => ({
  owner: ada,
  query: { ...everyMessage, ...query },
  nowMs,
})

async function rowsOf(query: Partial<HistoryQuery>, nowMs?: number): Promise<MessageRow[]> {
  const rows: MessageRow[] = []
  for await (const page of readExport(base.storage.read, exportOf(query, nowMs))) rows.push(...page)
  return rows
}

const count = (query: Partial<HistoryQuery>, patienceMs = 60_000) =>
  countExport({ db: base.storage.read, clock: base.clock }, exportOf(query), patienceMs)

describe('an export', () => {
  test.each<Partial<HistoryQuery>>([
    {},
    { statuses: ['failed'] },
    { clientReference: 'order-1', statuses: ['delivered'] },
    { clientReference: 'order-2' },
    { text: 'nobody wrote this' },
  ])('has every message that fits %j once, newest first, and is counted beforehand', async (query) => {
    const rows = await rowsOf(query)
    const { rows: walked } = await walkHistory(base.storage, { query })
    expect(idsOf(rows)).toEqual(idsOf(walked))
    expect(await count(query)).toBe(walked.length)
  })

  test('leaves out what is accepted after it began', async () => {
    const nowMs = base.clock.now()
    const before = await rowsOf({}, nowMs)
    await base.clock.advance(60_000)
    await store(base.storage, [storedMessage({ id: base.ids('msg'), created_at: base.clock.now() })])
    expect((await rowsOf({}, nowMs)).length).toBe(before.length)
    expect((await rowsOf({})).length).toBe(before.length + 1)
  })

  test.each<Partial<HistoryQuery>>([{}, { to: '+4915112345678' }, { statuses: ['delivered'] }])(
    'counts %j in pieces, and gives up between them',
    async (query) => {
      // When it begins, before the first piece and before the second.
      const times = [0, 0, 10]
      const clock = { monotonicMs: () => times.shift() ?? 10 }
      expect(await countExport({ db: base.storage.read, clock }, exportOf(query), 5)).toBeNull()
      expect(times).toEqual([])
    },
  )

  test('goes without a count when that takes too long', async () => {
    let nowMs = 0
    const clock = { monotonicMs: () => (nowMs += 10) }
    expect(
      await countExport({ db: base.storage.read, clock }, exportOf({ statuses: ['failed'] }), 5),
    ).toBeNull()
  })
})

/** Ids are whatever a network calls its messages. */
async function* pagesOf(...pages: MessageRow[][]): AsyncGenerator<ExportRow[]> {
  yield* pages.map((page) => page.map((message) => ({ message, networkIds: ['=1+1', 'n2'] })))
}

async function textOf(format: 'csv' | 'json', ...pages: MessageRow[][]): Promise<string> {
  let text = ''
  for await (const piece of writeFile(format, pagesOf(...pages))) text += piece
  return text
}

/** Reads comma-separated values as a spreadsheet does. */
function parseCsv(csv: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

const withText = (text: string): MessageRow =>
  storedMessage({ id: base.ids('msg'), created_at: base.clock.now(), text })

describe('a file', () => {
  test('of comma-separated values gives back every text, and starts no cell as a formula', async () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '=1+1',
        '+1',
        '-1',
        '@SUM(A1)',
        '\tx',
        '\rx',
        'a,b',
        '"',
        'line\r\nline',
        '+cmd|calc',
        "'=1+1",
        'hi;=cmd|calc!A0;x',
        "; '@SUM(A1)",
        'a\t-1+1',
        'see you ;-)',
        'hi;"=HYPERLINK(A1);x',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(nasty, { minLength: 1 }), async (texts) => {
        const csv = await textOf('csv', texts.map(withText))
        const [names = [], ...rows] = parseCsv(csv.slice(1))
        const cells = rows.map((row) => row[names.indexOf('text')] ?? '')
        const asWritten = (cell: string): string =>
          cell.replace(/^'(?='*[=+\-@\t\r])/, '').replace(/([;\t\r\n] *)'(?=['"]*(?:[=@]|[+-][\w("]))/g, '$1')
        expect(cells.map(asWritten)).toEqual(texts)
        // Where a semicolon or a tab cuts a cell, no piece begins as one either.
        const pieces = cells.flatMap((cell) => cell.split(/[;\t\r\n]/).slice(1))
        expect(pieces.filter((piece) => /^ *"*(?:[=@]|[+-][\w("])/.test(piece))).toEqual([])
        for (const row of rows)
          expect(row.filter((cell) => /^[=+\-@\t\r]/.test(cell) && !/^\+\d+$/.test(cell))).toEqual([])
      }),
    )
  })

  test('of comma-separated values leaves phone numbers as they are', async () => {
    const [names = [], row = []] = parseCsv((await textOf('csv', [withText('Hello')])).slice(1))
    expect(row[names.indexOf('to')]).toBe('+4915112345678')
  })

  test.each([{ pages: [] }, { pages: [['a', 'b'], ['c']] }])(
    'of JSON is one array, whatever its pages: $pages',
    async ({ pages }) => {
      const rows = pages.map((page) => page.map(withText))
      const messages = JSON.parse(await textOf('json', ...rows)) as { text: string }[]
      expect(messages.map(({ text }) => text)).toEqual(pages.flat())
    },
  )
})

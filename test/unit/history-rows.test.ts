import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filterOf, readSearch, searchFor } from '../../console/src/messages/history-filter.ts'
import {
  addWaiting,
  insertRows,
  type ListedPages,
  mergeChanged,
  restartList,
} from '../../console/src/messages/merge-rows.ts'
import type { ListedMessage } from '../../src/api/console/messages/listed-message.ts'

const row = (number: number, more: Partial<ListedMessage> = {}): ListedMessage => ({
  id: `msg_${String(number).padStart(4, '0')}`,
  direction: 'outbound',
  status: 'queued',
  final: false,
  number: '+4915112345678',
  own: null,
  text: 'Hello',
  isFree: false,
  parts: 1,
  charged: 0,
  deviceId: null,
  errorCode: null,
  reference: null,
  createdAtMs: number,
  sendAtMs: null,
  updatedAtMs: number,
  ...more,
})

/** A list of these messages, newest first, in pages of three. */
function listOf(numbers: readonly number[], hasMore: boolean): ListedPages {
  const rows = [...new Set(numbers)].toSorted((a, b) => b - a).map((number) => row(number))
  const pages = []
  for (let i = 0; i === 0 || i < rows.length; i += 3)
    pages.push({
      rows: rows.slice(i, i + 3),
      next: i + 3 < rows.length || hasMore ? 'c' : null,
      searchedToMs: null,
    })
  return { pages, pageParams: pages.map(() => null) }
}

const numbersIn = ({ pages }: ListedPages): number[] =>
  pages.flatMap(({ rows }) => rows.map(({ id }) => Number(id.slice(4))))

describe('a list that is told of changes', () => {
  test('stays in order, without repeats and without gaps, whatever comes', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 12 })
    fc.assert(
      fc.property(numbers, numbers, fc.boolean(), (held, changed, hasMore) => {
        const list = listOf(held, hasMore)
        const { shown, newcomers } = mergeChanged(
          list,
          changed.map((number) => row(number, { updatedAtMs: 1_000 })),
          {},
        )
        const after = numbersIn(insertRows(shown, newcomers))
        // Below the end of what was read, the next page will bring them.
        const lowest = hasMore && held.length > 0 ? Math.min(...held) : 0
        const expected = new Set([...held, ...changed.filter((number) => number > lowest)])
        expect(after).toEqual([...expected].toSorted((a, b) => b - a))
      }),
    )
  })

  test('replaces what it shows by what changed later, and never by what changed before', () => {
    const list = { ...listOf([1], false) }
    const newer = mergeChanged(list, [row(1, { status: 'sent', updatedAtMs: 9 })], {}).shown
    const older = mergeChanged(newer, [row(1, { status: 'sending', updatedAtMs: 5 })], {}).shown
    expect(older.pages[0]?.rows[0]?.status).toBe('sent')
  })

  test('keeps a row that no longer fits its filter, and announces no other that does not', () => {
    const list = listOf([1], false)
    const { shown, newcomers } = mergeChanged(
      list,
      [row(1, { status: 'sent', updatedAtMs: 9 }), row(2, { status: 'sent' }), row(3)],
      { status: ['queued'] },
    )
    expect(numbersIn(shown)).toEqual([1])
    expect(newcomers.map(({ id }) => id)).toEqual(['msg_0003'])
  })
})

describe('a list that begins anew', () => {
  test('is the head and all that is known to be newer than its end, in order, each once and as it stands', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(numbers, numbers, numbers, (read, held, waiting) => {
        const [head] = listOf(read, true).pages
        const changed = (number: number) => row(number, { status: 'sent', updatedAtMs: 1_000 })
        const list = restartList(head!, [...held, ...waiting].map(changed))
        const inHead = head!.rows.map(({ id }) => Number(id.slice(4)))
        const expected = new Set([
          ...inHead,
          ...[...held, ...waiting].filter((number) => number > Math.min(...inHead)),
        ])
        expect(numbersIn(list)).toEqual([...expected].toSorted((a, b) => b - a))
        const sent = list.pages.flatMap(({ rows }) => rows.filter(({ status }) => status === 'sent'))
        expect(sent).toHaveLength(
          [...expected].filter((number) => [...held, ...waiting].includes(number)).length,
        )
      }),
    )
  })

  test('what waits to be shown is announced once, the newest first, and as it stands', () => {
    const waiting = addWaiting(
      [row(2), row(1)],
      [row(3), row(2)],
      [row(3), row(1, { status: 'sent', updatedAtMs: 9 })],
    )
    expect(waiting.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'msg_0003 queued',
      'msg_0002 queued',
      'msg_0001 sent',
    ])
  })
})

describe('the filter in an address', () => {
  test('is kept where it makes sense, and passed over where it does not', () => {
    const given = { state: 'failed,sent', direction: 'up', device: 'dev_1', number: 4711, text: 12, from: 'yesterday', nonsense: 'x' } // prettier-ignore
    expect(readSearch(given)).toEqual({ state: 'failed,sent', number: '4711', text: '12' })
    expect(readSearch({ state: 'constructor' })).toEqual({})
    expect(filterOf({ state: 'failed,sent', from: '2026-11-21T00:00:00Z' })).toEqual({
      status: ['failed', 'sent'],
      fromMs: Date.parse('2026-11-21T00:00:00Z'),
    })
  })

  test.each([
    ['+49 151 123-456 78', { number: '+4915112345678' }],
    ['0049 151 12345678', { number: '+4915112345678' }],
    ['msg_01k9ktqv1hfm3se9a0x5rtb8vq', { messageId: 'msg_01k9ktqv1hfm3se9a0x5rtb8vq' }],
    ['snd_01k9ktqv1gfx8r4z6m2d7cwn5e', { send: 'snd_01k9ktqv1gfx8r4z6m2d7cwn5e' }],
    ['code 4711', { text: 'code 4711' }],
    ['4711', { text: '4711' }],
    ['  ', {}],
  ])('is what was typed: %s', (typed, search) => {
    expect(searchFor(typed)).toEqual(search)
  })
})

import { expect, test } from 'vitest'
import type { Figure } from '../../bench/figure.ts'
import { rowsOf, renderRows } from '../../bench/peers/peers-table.ts'
import type { MissingPeer, Peer } from '../../bench/peers/peer.ts'
import { placeSection } from '../../bench/peers/section.ts'
import type { Seen } from '../../bench/peers/visit.ts'
import { recordRows } from '../../bench/record-rows.ts'
import { renderTable } from '../../bench/table.ts'

const figure = (row: number, name: string, isMet = true): Figure => ({
  row,
  name,
  value: '200/s',
  us: 99.6,
  bar: { kind: 'holds', holds: isMet, summary: '≥ 195/s' },
})

const page = `# Benchmarks

- Machine: one.

${renderTable([figure(2, 'accept'), figure(19, 'a service', false), figure(20, 'ways')])}

Missed:

- a service: 200/s where the bar is ≥ 195/s.

## Forms of the program
`

test('rows of a run take the place of former ones, and so do their bars that were missed', () => {
  const recorded = recordRows(page, {
    figures: [figure(1, 'host'), figure(19, 'a service'), figure(20, 'ways', false), figure(21, 'counts')],
    rows: '19-21',
    about: 'Today.',
  })
  expect(recorded.match(/^\| \d+ .*$/gm)?.map((line) => line.split('|').map((cell) => cell.trim()).slice(1, 7))).toEqual([
    ['2', 'accept', '200/s', '100 µs', '≥ 195/s', 'pass'],
    ['19', 'a service', '200/s', '100 µs', '≥ 195/s', 'pass'],
    ['20', 'ways', '200/s', '100 µs', '≥ 195/s', 'MISS'],
    ['21', 'counts', '200/s', '100 µs', '≥ 195/s', 'pass'],
  ]) // prettier-ignore
  expect(recorded.match(/^- .*$/gm)).toEqual([
    '- Machine: one.',
    '- Rows 19-21 are of another run: Today.',
    '- ways: 200/s where the bar is ≥ 195/s.',
  ])
  const again = recordRows(recorded, { figures: [figure(20, 'ways')], rows: '19-21', about: 'Later.' })
  expect(again).toContain('- Machine: one.\n- Rows 19-21 are of another run: Later.\n\n|')
})

test('the section side by side goes before the forms of the program, and takes the place of a former one', () => {
  const once = placeSection(page, '## Side by side\n\nfirst\n\n')
  expect(once).toContain('195/s.\n\n## Side by side\n\nfirst\n\n## Forms of the program\n')
  expect(placeSection(once, '## Side by side\n\nsecond\n\n')).toBe(once.replace('first', 'second'))
  expect(() => placeSection('# Another page', '')).toThrow('has no section')
})

const peer = (name: string): Peer => ({
  name,
  version: '1',
  durability: 'kept',
  hasLives: false,
  start: () => Promise.reject(new Error('not started')),
})

test('peers are compared by their medians, and one that is missing or has no such row is not', () => {
  const [ours, theirs, gone] = [peer('ours'), peer('theirs'), { name: 'gone', missing: 'Install it.' }]
  const seen = new Map<Peer | MissingPeer, Seen[]>([
    [ours, [{ 'accept, warm': 10, 'whole life': 5 }, { 'accept, warm': 30 }, { 'accept, warm': 20 }]],
    [theirs, [{ 'accept, warm': 40 }]],
    [gone, []],
  ])
  const rows = rowsOf(seen)
  expect(rows[0]).toEqual({
    row: 'accept, warm',
    medians: { ours: 20, theirs: 40, gone: null },
    rounds: { ours: [10, 30, 20], theirs: [40], gone: [] },
    ratios: { theirs: 0.5, gone: null },
  })
  const cells = renderRows(rows, [ours, theirs, gone]).split('\n').slice(2)
  expect(cells.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    '| accept, warm | 20/s | 40/s | not here | 0.50 × | |',
    '| whole life | 5/s | – | not here | | |',
  ])
})

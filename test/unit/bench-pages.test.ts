import { expect, test } from 'vitest'
import type { Figure } from '../../bench/figure.ts'
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

import { expect, test } from 'vitest'
import type { Value } from '../../src/storage/seam/dialect.ts'
import { AlikeColumns, type Columns } from '../../src/storage/postgres/postgres-columns.ts'

const types = ['text', 'bigint', 'text']
const textOf = (columns: Columns, first = 1): string =>
  `${types.map((_, i) => columns.at(i, first)).join(', ')} from ${columns.from(first)}`

/** Sets of rows one after another, each of three columns, of which `stored` are stored. */
function cross(...sets: Value[][][]): { text: string; values: readonly unknown[] }[] {
  const alike = new AlikeColumns()
  return sets.map((rows) => {
    const columns = alike.columnsOf('insert t', types, 3, rows)
    return { text: textOf(columns), values: columns.values }
  })
}

test('a column that is the same in all rows crosses once, and is an array again from the first set on in which it is not', () => {
  const [same, single, other, again] = cross(
    [['a', 1, 'x'], ['a', 2, 'x']],
    [['b', 3, 'y']],
    [['a', 1, 'x'], ['c', 2, 'x']],
    [['a', 1, 'x'], ['a', 2, 'x']],
  ) // prettier-ignore
  const once = '$1::text, v.c1, $3::text from unnest($2::bigint[]) as v(c1)'
  expect(same).toEqual({ text: once, values: ['a', [1, 2], 'x'] })
  expect(single).toEqual({ text: once, values: ['b', [3], 'y'] })
  const twice = 'v.c0, v.c1, $3::text from unnest($1::text[], $2::bigint[]) as v(c0, c1)'
  expect(other).toEqual({ text: twice, values: [['a', 'c'], [1, 2], 'x'] })
  expect(again).toEqual({ text: twice, values: [['a', 'a'], [1, 2], 'x'] })
})

test('one row says nothing of what others have in common', () => {
  const [first, second] = cross([['a', 1, null]], [['a', 1, null], ['b', 1, null]]) // prettier-ignore
  expect(first?.values).toEqual([['a'], [1], [null]])
  expect(second?.values).toEqual([['a', 'b'], 1, null])
})

test('rows that have everything in common are counted by one array', () => {
  const [columns] = cross([['a', 1, 'x'], ['a', 1, 'x']]) // prettier-ignore
  expect(columns).toEqual({
    text: '$1::text, $2::bigint, v.c2 from unnest($3::text[]) as v(c2)',
    values: ['a', 1, ['x', 'x']],
  })
})

test('columns by which rows are found stay arrays, and parameters are numbered from where they are asked to', () => {
  const columns = new AlikeColumns().columnsOf('update t', types, 1, [['a', 1, 'x'], ['a', 1, 'y']]) // prettier-ignore
  expect(textOf(columns, 5)).toBe('$5::text, v.c1, v.c2 from unnest($6::bigint[], $7::text[]) as v(c1, c2)')
  expect(columns.values).toEqual(['a', [1, 1], ['x', 'y']])
})

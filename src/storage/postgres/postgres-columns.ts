import type { Value } from '../seam/dialect.ts'
import { columnArrays } from './postgres-rows.ts'

/** The columns of a set of rows, as parameters of a statement. */
export interface Columns {
  values: readonly unknown[]
  /** Returns the rows as `v`, with parameters from `first` on. */
  from(first: number): string
  /** Returns the value of a column in such a row. */
  at(column: number, first: number): string
}

/** One array for each column. */
export const eachColumn = (types: readonly string[], rows: readonly Value[][]): Columns =>
  columnsOf(types, rows, new Set())

/**
 * Remembers which columns have been the same in all rows of every set so far: they cross once, in the place of an array.
 * A column of which two rows of a set have differed is an array from then on, so that few texts are made of a statement.
 * Never columns by which rows are found: with one account for all rows, a plan that was made for a small table reads all
 * rows of the account (docs/decisions/0030-plans-of-the-writer.md).
 */
export class AlikeColumns {
  readonly #alike = new Map<string, ReadonlySet<number>>()

  /** `statement` names those whose columns are compared; rows are found by those that come behind `stored` columns. */
  columnsOf(statement: string, types: readonly string[], stored: number, rows: readonly Value[][]): Columns {
    const known = this.#alike.get(statement)
    // One row says nothing of what others have in common.
    const alike =
      rows.length < 2 ? (known ?? new Set()) : alikeOf(rows, known ?? [...types.keys()].slice(0, stored))
    if (rows.length > 1) this.#alike.set(statement, alike)
    return columnsOf(types, rows, alike)
  }
}

/** The rows are counted by the arrays, so that one column is always one. */
function alikeOf([first = [], ...others]: readonly Value[][], among: Iterable<number>): Set<number> {
  const alike = [...among].filter((i) => others.every((row) => row[i] === first[i]))
  return new Set(alike.length === first.length ? alike.slice(0, -1) : alike)
}

function columnsOf(types: readonly string[], rows: readonly Value[][], alike: ReadonlySet<number>): Columns {
  const arrays = [...types.keys()].filter((i) => !alike.has(i))
  const parameter = (i: number, first: number): string =>
    `$${first + i}::${types[i]}${alike.has(i) ? '' : '[]'}`
  return {
    values: columnArrays(types.length, rows).map((column, i) => (alike.has(i) ? column[0] : column)),
    from: (first) =>
      `unnest(${arrays.map((i) => parameter(i, first)).join(', ')}) as v(${arrays.map((i) => `c${i}`).join(', ')})`,
    at: (i, first) => (alike.has(i) ? parameter(i, first) : `v.c${i}`),
  }
}

import type { Value } from '../seam/dialect.ts'

/** Converts rows to one array per column: sets are sent as one parameter per column. */
export const columnArrays = (width: number, rows: readonly Value[][]): Value[][] =>
  Array.from({ length: width }, (_, i) => rows.map((row) => row[i] as Value))

/**
 * Merges rows to one per key, since PostgreSQL changes a row only once per statement. Rows that share a key
 * are combined by `merge`. The result is sorted by key, the order in which all transactions lock rows.
 */
export function oneForEachKey(
  rows: readonly Value[][],
  isKey: (index: number) => boolean,
  merge: (a: Value, b: Value, index: number) => Value,
): Value[][] {
  const merged = new Map<string, Value[]>()
  for (const row of rows) {
    const key = JSON.stringify(row.filter((_, i) => isKey(i)))
    const former = merged.get(key)
    const joined = former?.map((value, i) => (isKey(i) ? value : merge(value, row[i] as Value, i)))
    merged.set(key, joined ?? row)
  }
  return [...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

export const last = (_: Value, later: Value): Value => later
export const sum = (a: Value, b: Value): Value => Number(a) + Number(b)
export const least = (a: Value, b: Value): Value => Math.min(Number(a), Number(b))

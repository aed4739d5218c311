/**
 * Returns the columns of a table by name, in the given order; the compiler rejects an incomplete list.
 * PostgreSQL rejects a prepared statement whose result changed its shape (0A000): `*` would fail on every
 * running node when the next version adds a column, a list does not. `test/architecture/` rejects the star.
 */
export const everyColumn = <Table>(columns: Record<keyof Table & string, true>): (keyof Table & string)[] =>
  Object.keys(columns) as (keyof Table & string)[]

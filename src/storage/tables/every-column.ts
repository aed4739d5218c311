/**
 * The columns of a table by name, in the order given; the compiler refuses a list that leaves one out. PostgreSQL refuses a prepared statement whose
 * result has another shape than when it was prepared (0A000): `*` would fail on every node that runs when the next version adds a column, a list
 * does not. `test/architecture/` refuses the star.
 */
export const everyColumn = <Table>(columns: Record<keyof Table & string, true>): (keyof Table & string)[] =>
  Object.keys(columns) as (keyof Table & string)[]

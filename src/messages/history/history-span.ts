import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'

/** A position in the order of changes. */
export interface Change {
  atMs: number
  id: string
}

export const compare = (a: Change, b: Change): number =>
  a.atMs - b.atMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

export const changeOf = (row: { updated_at: number; id: string }): Change => ({
  atMs: row.updated_at,
  id: row.id,
})

/** The positions between which a page reads, both exclusive, and its conditions on each message. */
export interface Span {
  after: Change
  below: Change
  conditions: Expression<SqlBool>[]
}

export const place = (change: Change): RawBuilder<unknown> => sql`(${change.atMs}, ${change.id})`

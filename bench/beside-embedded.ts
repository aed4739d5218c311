import { type Figure, perSecondOf } from './figure.ts'

/** Figures of PostgreSQL, each with that of the embedded database which measures the same. */
const pairs: readonly (readonly [string, string])[] = [
  'accept, one recipient, 64 connections',
  'accept, 100 recipients a request, 64 connections',
  'whole life, one recipient',
  'whole life, 100 recipients a request',
].map((name) => [name.replace(',', ' on PostgreSQL,'), name])

/** What PostgreSQL does of what the embedded database does, of the rates that a run measured on both. */
export const besideEmbedded = (figures: readonly Figure[]): Figure[] =>
  pairs.flatMap(([onPostgres, embedded]) => {
    const [ours, theirs] = [onPostgres, embedded].map(
      (name) => figures.find((each) => each.name === name)?.perSecond,
    )
    if (ours === undefined || theirs === undefined) return []
    const value = `${(ours / theirs).toFixed(2)} × (${perSecondOf(ours)} and ${perSecondOf(theirs)})`
    return [{ row: 13, name: `${onPostgres}: of the embedded database's`, value }]
  })

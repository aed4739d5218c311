import { expect, test } from 'vitest'
import { readMigrations, stoppingMigrations } from '../../src/storage/seam/migrate.ts'

test('a migration takes nothing away that a node of the version before uses, except those that wait until it is stopped', async () => {
  const migrations = await readMigrations('postgres')
  expect(migrations.length).toBeGreaterThan(3)
  expect(takesAway('alter table a drop column b')).toBe(true)
  expect(takesAway('alter table a alter column b set not null')).toBe(true)
  expect(takesAway('alter table a add column b bigint not null')).toBe(true)
  expect(takesAway('create table a (b bigint not null)')).toBe(false)
  expect(takesAway('alter table a add column b bigint not null default 0')).toBe(false)
  expect(withoutRemadeIndexes('drop index a;\ncreate index a on b (c);')).not.toContain('drop')
  expect(withoutRemadeIndexes('drop index a;\ncreate unique index a on b (c);')).toContain('drop')
  expect(withoutRemadeIndexes('drop index a;\ncreate index b on b (c);')).toContain('drop')
  expect(withoutRemadeChecks('alter table a drop constraint b, add constraint b check (c)')).not.toContain(
    'drop',
  )
  expect(withoutRemadeChecks('alter table a drop constraint b, add constraint d check (c)')).toContain('drop')
  const faulty = migrations.filter(({ statements }) =>
    statementsOf(withoutRemadeChecks(withoutRemadeIndexes(statements))).some(takesAway),
  )
  expect(faulty.map(({ name }) => name)).toEqual([...stoppingMigrations])
})

const statementsOf = (text: string): string[] => text.replaceAll(/^\s*--.*$/gm, '').split(/;\s*$/m)

/** No statement names an index that is not unique: one that is made anew with other columns is still there for every node. */
const withoutRemadeIndexes = (text: string): string =>
  text.replaceAll(/^drop index (\w+);$/gm, (drop, name: string) =>
    new RegExp(`^create index ${name} on`, 'm').test(text) ? '' : drop,
  )

/** A CHECK that the same statement makes again, to accept more. */
const withoutRemadeChecks = (text: string): string =>
  text.replaceAll(/\bdrop constraint (\w+), (?=add constraint \1 check)/g, '')

/** Beside newer nodes those of the version before read and write as ever: rows that they insert lack what is new. */
function takesAway(statement: string): boolean {
  const words = statement.toLowerCase()
  if (/\b(?:drop|rename|alter column)\b/.test(words)) return true
  return /\badd column\b/.test(words) && /\bnot null\b/.test(words) && !/\bdefault\b/.test(words)
}

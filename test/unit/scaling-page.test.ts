import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settings } from '../../src/settings/settings.ts'
import { readMigrations } from '../../src/storage/seam/migrate.ts'

const repository = join(import.meta.dirname, '../..')
const readText = (path: string): string => readFileSync(join(repository, path), 'utf8')
const page = readText('docs/scaling.md')

test('the page names the tables of an account whose keys do not hold the account, all of them and no other', async () => {
  const [, section = ''] = /<!-- without-account:begin -->(.*)<!-- without-account:end -->/s.exec(page) ?? []
  const named = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, table]) => table)
  const tables = (await readMigrations('postgres')).flatMap(({ statements }) => tablesOf(statements))
  expect(tables.length).toBeGreaterThan(20)
  const without = tables.filter(
    ({ columns, keys }) => columns.includes('account_id') && keys.some((key) => !key.includes('account_id')),
  )
  expect(named.length).toBe(without.length)
  expect(new Set(named)).toEqual(new Set(without.map(({ name }) => name)))
})

test('the times and counts that the page tells are those of the settings and of the sessions', () => {
  const told = (name: string): string => new RegExp(`\`${name}\`\\s\\((.+?)\\)`).exec(page)?.[1] ?? ''
  expect(told('ONESIXTY_POSTGRES_STATEMENT_TIMEOUT_MS')).toBe(
    `${settings.postgresStatementTimeoutMs.default / 1000} s`,
  )
  expect(told('ONESIXTY_POSTGRES_CONNECT_TIMEOUT_MS')).toBe(
    `${settings.postgresConnectTimeoutMs.default / 1000} s`,
  )
  expect(told('ONESIXTY_POSTGRES_READERS')).toBe(`${settings.postgresReaders.default}`)
  const client = readText('src/storage/postgres/postgres-client.ts')
  const roleSettings = [...page.matchAll(/^alter role onesixty in database onesixty set (\w+) = /gm)].map(
    ([, name = '']) => name,
  )
  const sessionSettings = [...client.matchAll(/^ {4}['`](\w+)=/gm)].map(([, name = '']) => name)
  // The isolation is the default of every server.
  expect(new Set(roleSettings)).toEqual(
    new Set(sessionSettings.filter((name) => name !== 'default_transaction_isolation')),
  )
})

interface Table {
  name: string
  columns: readonly string[]
  /** Of the primary key and every unique one. */
  keys: readonly (readonly string[])[]
}

/** Reads the tables of a migration, which is plain DDL: a column or a constraint a line. */
function tablesOf(migration: string): Table[] {
  const sql = migration.replaceAll(/--.*/g, '')
  const listed = (names = ''): string[] => names.split(',').map((name) => name.trim())
  return [...sql.matchAll(/^create table (\w+) \(\n(.*?)\n\)/gms)].map(([, name = '', body = '']) => {
    const lines = body.split('\n').map((line) => line.trim())
    const indexes = sql.matchAll(new RegExp(`create unique index \\w+ on ${name} \\(([^)]*)\\)`, 'g'))
    return {
      name,
      columns: lines.map((line) => /^"?(\w+)"? /.exec(line)?.[1] ?? ''),
      keys: [
        ...lines.flatMap((line) => {
          const [, composite] = /^(?:primary key|unique) \(([^)]*)\)/.exec(line) ?? []
          if (composite !== undefined) return [listed(composite)]
          const [, column] = /^"?(\w+)"? .*\b(?:primary key|unique)\b/.exec(line) ?? []
          return column === undefined ? [] : [[column]]
        }),
        ...[...indexes].map(([, names]) => listed(names)),
      ],
    }
  })
}

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'

/** Runs behind the tests of both databases, over what they have left (seen-statements.ts): a run of all tests, or it tells that one is missing. */
async function statementsOn(database: 'sqlite' | 'postgres'): Promise<ReadonlySet<string>> {
  const folder = inject('statementsFolder')
  const files = (await readdir(folder)).filter((name) => name.startsWith(`${database}-`))
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))
  return new Set(texts.flatMap((text) => text.split('\n').filter((line) => line !== '')))
}

test('every statement of the program that the tests make on SQLite they make on PostgreSQL, too', async () => {
  const [onSqlite, onPostgres] = [await statementsOn('sqlite'), await statementsOn('postgres')]
  expect(onSqlite.size).toBeGreaterThan(300)
  expect(onPostgres.size).toBeGreaterThan(300)
  expect([...onSqlite].filter((statement) => !onPostgres.has(statement)).toSorted()).toEqual([])
})

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'

/** Each statement with a test that made it first. Runs behind the tests of both databases, over what they have left (seen-statements.ts). */
async function statementsOn(database: 'sqlite' | 'postgres'): Promise<ReadonlyMap<string, string>> {
  const folder = inject('statementsFolder')
  const files = (await readdir(folder)).filter((name) => name.startsWith(`${database}-`))
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''))
  return new Map(lines.map((line) => line.split('\t') as [string, string]))
}

/** What is said of the file of the embedded database alone: its pragmas and tables of itself, its copies, and that it has moved away. */
const ofTheFile = [
  /^begin$/,
  /^pragma /,
  /^vacuum into /,
  /\bsqlite_master\b/,
  /\b(?:from|into|update) "moves"/,
  /^create trigger "moved_/,
  // It has one server.
  /^update "nodes" set "left_at" = \? where "left_at" is null$/,
  // A backup is marked as one, the level of flushing is read behind a write, and a move counts the rows of each table.
  /^update "instance" set "epoch" = (?:epoch|-abs\("epoch"\))$/,
  /^select "epoch", "created_at", progress \+ coalesce\(\(select .* from node_progress p\), 0\) as "progress" from "instance"$/,
  /^select count\(\*\) as amount from "\w+"(?: union all select count\(\*\) as amount from "\w+")+$/,
]

test('every statement of the program that the tests make on SQLite they make on PostgreSQL, too', async () => {
  const [onSqlite, onPostgres] = [await statementsOn('sqlite'), await statementsOn('postgres')]
  expect(onSqlite.size).toBeGreaterThan(300)
  expect(onPostgres.size).toBeGreaterThan(300)
  const missing = [...onSqlite].filter(
    ([statement]) => !onPostgres.has(statement) && !ofTheFile.some((form) => form.test(statement)),
  )
  expect(missing.map(([statement, file]) => `${statement} (${file})`).toSorted()).toEqual([])
})

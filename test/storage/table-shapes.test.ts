import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabaseFile } from '../../src/storage/sqlite/database-file.ts'
import { readTableShapes, type TableShape } from '../../src/storage/move/table-shapes.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-shapes-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function shapesOf(definitions: string): Promise<TableShape[]> {
  const file = join(folder, `${definitions.length}.db`)
  const database = new DatabaseSync(file)
  database.exec(definitions)
  database.close()
  const { db, close } = openDatabaseFile(file)
  try {
    return await readTableShapes(db)
  } finally {
    await close()
  }
}

test('what is referred to comes first, whatever it is called, and what a database says of itself does not come', async () => {
  const shapes = await shapesOf(`
    create table a (id text primary key, b_id text references b (id));
    create table b (id text, at integer, c_id text references c (id), primary key (at, id));
    create table c (id integer primary key, name text);
    create table schema_migrations (name text primary key);
    create table moves (id text primary key);`)
  expect(shapes.map(({ name }) => name)).toEqual(['c', 'b', 'a'])
  expect(shapes[1]).toEqual({
    name: 'b',
    columns: [
      { name: 'id', holds: 'text' },
      { name: 'at', holds: 'number' },
      { name: 'c_id', holds: 'text' },
    ],
    key: ['at', 'id'],
  })
})

test('tables that cannot be copied in pages are refused by name', async () => {
  await expect(shapesOf('create table loose (id text)')).rejects.toThrow(
    'The table loose has no primary key.',
  )
  await expect(
    shapesOf(`
      create table a (id text primary key, b_id text references b (id));
      create table b (id text primary key, a_id text references a (id));
      create table c (id text primary key);`),
  ).rejects.toThrow('These tables have circular references: a, b.')
})

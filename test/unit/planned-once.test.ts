import { constants, DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { plannedOnce } from '../../src/storage/sqlite/sqlite-connection.ts'

/** SQLite asks the authorizer while it plans a statement, and never while it runs one. */
function isPlannedAgain(sql: string): boolean {
  const database = new DatabaseSync(':memory:')
  database.exec('create table t (a integer, b integer); create index t_by_a on t (a, b)')
  let asked = 0
  database.setAuthorizer(() => {
    asked += 1
    return constants.SQLITE_OK
  })
  const statement = database.prepare(sql)
  statement.all(1, 2)
  asked = 0
  statement.all(2, 3)
  database.close()
  return asked > 0
}

test.each([
  'select b from t where a = ? order by b limit ?',
  'select b from t where a = ?1 order by b limit ?2',
  'select b from t where a = ? limit ? offset 1',
  'select b from t where a in (select a from t where a > ? limit ?) order by b',
])('a statement with a bound limit is planned once, however often it runs: %s', (sql) => {
  expect(isPlannedAgain(sql), 'as it is written, SQLite plans it for each value').toBe(true)
  expect(isPlannedAgain(plannedOnce(sql))).toBe(false)
})

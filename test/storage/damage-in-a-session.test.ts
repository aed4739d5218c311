import { expect, onTestFinished, test } from 'vitest'
import { guardConnection } from '../../src/storage/sqlite/guarded-connection.ts'
import { SqliteConnection, type Statement } from '../../src/storage/sqlite/sqlite-connection.ts'
import type { Answer } from '../../src/storage/sqlite/sqlite-protocol.ts'
import { createUnitRunner } from '../../src/storage/sqlite/sqlite-units.ts'

const statement = (op: Statement['op'], sql: string): Statement => ({ op, sql, values: [] })

/** Says of the statement `torn` what SQLite says of a damaged page; the transaction stands, as it does behind most reads of one. */
class TornConnection extends SqliteConnection {
  override execute(asked: Statement) {
    if (asked.sql !== 'torn') return super.execute(asked)
    throw Object.assign(new Error('database disk image is malformed'), { errcode: 11 })
  }
}

/** The writer within the thread of the database, spoken to as the other side does; `ends` has the answer to each request. */
async function openRunner() {
  const connection = new TornConnection({
    file: ':memory:',
    readOnly: false,
    busyTimeoutMs: 0,
    cacheKiB: 1_024,
  })
  connection.execute(statement('exec', 'create table sound (n integer)'))
  const { execute, executor } = guardConnection(connection)
  onTestFinished(() => connection.close())
  const waiting = new Map<number, (answer: Answer) => void>()
  const answer = (message: Answer): void => waiting.get(message.id)?.(message)
  const runner = await createUnitRunner({
    executor,
    answer,
    answerError: (id, error) => answer({ id, error: error as NonNullable<Answer['error']> }),
    unitsModule: undefined,
    maxMergedWeight: 1,
  })
  let id = 0
  const ask = (kind: 'begin' | 'commit' | 'rollback'): Promise<Answer> =>
    new Promise((resolve) => {
      waiting.set(++id, resolve)
      runner.handle({ id, kind })
    })
  return { ask, execute, stored: () => execute(statement('all', 'select n from sound')).rows }
}

test('a damaged page that one transaction of the other side met, and was rolled back for, lets none beside it be stored', async () => {
  const { ask, execute, stored } = await openRunner()
  const [first, second] = [ask('begin'), ask('begin')]
  await first
  execute(statement('run', 'insert into sound values (1)'))
  const ended = ask('commit')
  await second
  expect(() => execute(statement('all', 'torn'))).toThrow(expect.objectContaining({ fault: 'damaged' }))
  const rolledBack = ask('rollback')
  const damaged = { error: { fault: 'damaged' } }
  expect(await Promise.all([ended, rolledBack])).toMatchObject([damaged, damaged])
  expect(stored()).toEqual([])
  expect(await ask('begin')).toMatchObject(damaged)
})

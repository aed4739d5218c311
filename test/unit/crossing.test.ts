import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { expect, test } from 'vitest'
import { allDone } from '../../src/runtime/all-done.ts'
import { openCrossing } from '../../src/storage/seam/crossing.ts'

/** A database far away: `said` are the words that have left for it and those that came back, in order. */
function openFarAway() {
  const said: string[] = []
  const word = async (text: string): Promise<void> => {
    said.push(`→ ${text}`)
    await new Promise((resolve) => setImmediate(resolve))
    said.push(`← ${text}`)
  }
  const connection: DatabaseConnection = {
    executeQuery: async ({ sql }) => {
      await word(sql)
      return { rows: [] }
    },
    streamQuery: () => {
      throw new Error('nobody streams')
    },
  }
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => connection,
      beginTransaction: () => word('begin'),
      commitTransaction: () => word('commit'),
      rollbackTransaction: () => word('rollback'),
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    }),
  }
  return { said, db: openCrossing(dialect) }
}

test('what a unit posts together crosses together, in its order, between begin and commit', async () => {
  const { said, db } = openFarAway()
  await db.transaction().execute(async (tx) => {
    await tx.executeQuery(CompiledQuery.raw('read'))
    await allDone(['a', 'b', 'c'].map((name) => tx.executeQuery(CompiledQuery.raw(name))))
  })
  expect(said).toEqual([
    '→ begin', '← begin', '→ read', '← read', '→ a', '→ b', '→ c', '← a', '← b', '← c', '→ commit', '← commit',
  ]) // prettier-ignore
})

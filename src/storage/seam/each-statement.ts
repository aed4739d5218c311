import { type CompiledQuery, type Driver, Kysely, type QueryResult } from 'kysely'
import type { Db } from './dialect.ts'
import type { Writer } from './writer.ts'

/**
 * Creates a Kysely for libraries with their own statements (sign-in). Reads use the readers; each other
 * statement is a unit of the writer, flushed when its promise resolves. It has no transactions: use the
 * writer for one.
 */
export function eachStatement<Tables>({ read, writer }: { read: Db; writer: Writer }): Kysely<Tables> {
  const executor = read.getExecutor()
  const run = <R>(query: CompiledQuery): Promise<QueryResult<R>> =>
    query.query.kind === 'SelectQueryNode'
      ? read.executeQuery<R>(query)
      : writer.write((tx) => tx.executeQuery<R>(query))
  const connection = {
    executeQuery: run,
    streamQuery(): never {
      throw new Error('streaming is not supported: page by key instead')
    },
  }
  const refuseTransaction = async (): Promise<never> => {
    throw new Error('a transaction is a unit of the writer')
  }
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: refuseTransaction,
    commitTransaction: refuseTransaction,
    rollbackTransaction: refuseTransaction,
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  }
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => executor.adapter,
      createDriver: () => driver,
      createIntrospector: () => read.introspection,
      createQueryCompiler: () => ({
        compileQuery: (node, queryId) => executor.compileQuery(node, queryId),
      }),
    },
  })
}

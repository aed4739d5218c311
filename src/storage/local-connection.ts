import { Kysely } from 'kysely'
import { type Db, StorageError } from './dialect.ts'
import type { Database } from './schema.ts'
import {
  type ConnectionSettings,
  SqliteConnection,
  type Statement,
  type StatementResult,
} from './sqlite-connection.ts'
import { faultOf } from './sqlite-faults.ts'
import { sqliteDialect } from './sqlite.ts'

/** One connection in this thread, which it blocks: for commands, which wait for nothing else, and start without threads (0.3 s less). */
export interface LocalConnection {
  db: Db
  /** `synchronous` of this connection (sqlite.org/pragma.html#pragma_synchronous): 2 is FULL. */
  syncLevel(): number
}

export function connectLocally(settings: ConnectionSettings): LocalConnection {
  const connection = new SqliteConnection(settings)
  const execute = async (statement: Statement): Promise<StatementResult> => {
    try {
      return connection.execute(statement)
    } catch (error) {
      const { message, errcode } = error as Error & { errcode?: number }
      throw new StorageError(message, faultOf(errcode ?? 0), !connection.inTransaction)
    }
  }
  const transaction = async (step: 'begin' | 'commit' | 'rollback'): Promise<void> =>
    void (await execute({ op: 'exec', sql: step === 'begin' ? 'begin immediate' : step, values: [] }))
  return {
    // The connection ends with the process, as a command does.
    db: new Kysely<Database>({
      dialect: sqliteDialect({ execute, transaction, close: async () => undefined }),
    }),
    syncLevel: () => connection.execute({ op: 'synchronous', sql: '', values: [] }).changes ?? 0,
  }
}

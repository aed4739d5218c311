import { StorageError } from '../seam/dialect.ts'
import type { SqliteConnection, Statement, StatementResult } from './sqlite-connection.ts'
import { faultOf } from './sqlite-faults.ts'
import type { SqliteExecutor } from './sqlite-dialect.ts'

export interface GuardedConnection {
  /** Runs one statement, or throws a `StorageError`. */
  execute(statement: Statement): StatementResult
  executor: SqliteExecutor
}

/**
 * Wraps a connection so that no statement runs outside the transaction that it belongs to. SQLite ends a
 * transaction by itself if the disk is full or fails; statements already sent would then commit one by one.
 * After such a fault every statement is rejected with it until the transaction is rolled back, which is
 * harmless if none is left. Once a damaged page was met, by any statement, no transaction is committed any
 * more: what the others read is not reliable.
 */
export function guardConnection(connection: SqliteConnection): GuardedConnection {
  let open = false
  let lostBy: StorageError | null = null
  let damagedBy: StorageError | null = null

  function run(statement: Statement): StatementResult {
    try {
      return connection.execute(statement)
    } catch (error) {
      const { message, errcode } = error as Error & { errcode?: number }
      const fault = new StorageError(message, faultOf(errcode ?? 0), !connection.inTransaction)
      if (open && fault.transactionLost) lostBy ??= fault
      if (fault.fault === 'damaged') damagedBy ??= fault
      throw fault
    }
  }
  function execute(statement: Statement): StatementResult {
    if (open && !connection.inTransaction)
      throw lostBy ?? new StorageError('the transaction was lost', 'other', true)
    return run(statement)
  }
  async function transaction(step: 'begin' | 'commit' | 'rollback'): Promise<void> {
    if (step !== 'rollback' && damagedBy !== null) throw damagedBy
    if (step === 'begin') {
      run({ op: 'exec', sql: 'begin immediate', values: [] })
      open = true
      lostBy = null
      return
    }
    if (step === 'commit') {
      const startedMs = performance.now()
      execute({ op: 'exec', sql: 'commit', values: [] })
      connection.flushTimes.add(performance.now() - startedMs)
    } else if (connection.inTransaction) run({ op: 'exec', sql: 'rollback', values: [] })
    open = false
  }
  return {
    execute,
    executor: {
      execute: async (statement) => execute(statement),
      transaction,
      close: async () => connection.close(),
    },
  }
}

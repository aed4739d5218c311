import type { ConnectionSettings, Statement, StatementResult } from './sqlite-connection.ts'

/** Messages between a `SqliteThread` and its `sqlite-worker`, as JSON text. */
export type Request =
  | ({ id: number; kind: 'statement' } & Statement)
  | { id: number; kind: 'unit'; name: string; input: unknown }
  | { id: number; kind: 'begin' | 'commit' | 'rollback' }
  | { id: number; kind: 'end' }

export interface Answer extends StatementResult {
  id: number
  result?: unknown
  error?: { message: string; name: string; fault?: string; transactionLost?: boolean }
}

export interface WorkerSettings extends ConnectionSettings {
  /** A module that exports `units`, for the thread that runs them. */
  unitsModule?: string
  /** A batch of merged calls of a unit is closed by the one that reaches this weight. */
  maxMergedWeight?: number
}

/** Handles what is not a single statement in the thread. */
export interface UnitRunner {
  handle(request: Exclude<Request, { kind: 'statement' | 'end' }>): void
}

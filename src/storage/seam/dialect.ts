import type { DialectAdapter, Kysely, Transaction } from 'kysely'
import type { Database } from '../tables/schema.ts'

/** Reads outside a transaction. Its connection is read-only, so writes fail. */
export type Db = Kysely<Database>
/** Returns the reader for one account. */
export type ReadOf = (accountId: string) => Db
/** The transaction of the writer. A function with a `Tx` parameter cannot be called without one. */
export type Tx = Transaction<Database>

export type Value = string | number | null
export type Row = Record<string, Value>

export interface SelectEach {
  /**
   * A SELECT with inputs as `:name`; run once per set of inputs, results joined in order. `cross join … on`
   * fixes the join order on SQLite; PostgreSQL gets an inner join. A line after `--sqlite: ` or `--postgres: ` is
   * for that database alone.
   */
  sql: string
  /** The names of the inputs, in the order of the values. */
  inputs: readonly string[]
  /** Inputs that are numbers but can be null in every set: PostgreSQL needs their type. */
  numbers?: readonly string[]
  /**
   * Finds few rows: with others of these it can be one statement on PostgreSQL (`together`). It sees what was posted
   * before it; of what is posted after it in the same turn it sees nothing.
   */
  few?: true
  /**
   * It names no `account`, and units with lanes may run it (within-lanes.ts). `fixed`: what it reads only units without lanes
   * change. `own`: it reads rows of the unit's accounts by another key, or of its node.
   */
  lanes?: 'fixed' | 'own'
  /** Its text depends on what is asked: PostgreSQL does not keep it prepared, of which there would be thousands. */
  varies?: true
}

/** Returns a statement without the lines that are for the other database alone. */
export const linesFor = (database: 'sqlite' | 'postgres', sql: string): string =>
  sql.replace(/^ *--(sqlite|postgres): (.*)$/gm, (_, only, line: string) => (only === database ? line : ''))

/**
 * The differences between the databases, by name. A set of rows is sent in one message with constant SQL
 * text: on SQLite a prepared statement runs once per row inside the transaction, on PostgreSQL arrays are
 * unnested.
 */
export interface SetStatements {
  /** Reads what the functions below need to know of tables, so that none of them waits for it later. */
  learnTables(db: Tx): Promise<void>
  /** Runs a unit whose statements share texts on PostgreSQL; on SQLite they run one by one. */
  together<T>(db: Tx, unit: () => Promise<T>): Promise<T>
  /** Inserts every row. All rows have the same columns. */
  insertRows(
    db: Tx,
    table: string,
    columns: readonly string[],
    rows: readonly Value[][],
    onConflict: 'fail' | 'ignore',
  ): Promise<number>
  /**
   * Sets columns by key (a column can be in both: set to one value where it has another). Returns the number
   * of rows changed.
   */
  updateRows(
    db: Tx,
    table: string,
    columns: readonly string[],
    key: readonly string[],
    rows: readonly Value[][],
  ): Promise<number>
  /** Deletes by key. Returns the number of rows deleted. */
  deleteRows(db: Tx, table: string, key: readonly string[], rows: readonly Value[][]): Promise<number>
  /** Adds amounts of either sign to existing rows, by key. */
  adjustRows(
    db: Tx,
    table: string,
    key: readonly string[],
    amounts: readonly string[],
    rows: readonly Value[][],
  ): Promise<number>
  /** Inserts, or adds the amounts to the existing row; `lowest` columns keep the smaller value. */
  addToRows(
    db: Tx,
    table: string,
    key: readonly string[],
    amounts: readonly string[],
    lowest: readonly string[],
    rows: readonly Value[][],
  ): Promise<number>
  selectEach(db: Db | Tx, statement: SelectEach, inputs: readonly Value[][]): Promise<Row[]>
}

/** Kysely's adapter, extended by the set statements, so that a `Tx` carries its dialect with it. */
export interface SetAdapter extends DialectAdapter {
  readonly sets: SetStatements
  /** Begins a transaction that reads one moment, regardless of later writes. */
  readonly snapshotStart: string
  /**
   * Returns the server's own time in milliseconds as `now`; null on the embedded database, which has only
   * that of the process.
   */
  readonly clockQuery: string | null
  /** Returns the history of data that the server writes as `cluster`; null on the embedded database. */
  readonly clusterQuery: string | null
}

/**
 * What went wrong in the database, as categories that the program can act on. After `conflict` the writer
 * runs the same units again; after `outcome_unknown` it is unknown whether they were committed. A `damaged`
 * database must be restored; one with a `damaged_page` works except for what uses that page
 * (docs/decisions/0039-damage-of-a-shared-database.md).
 */
export type StorageFault =
  | 'full'
  | 'damaged'
  | 'damaged_page'
  | 'busy'
  | 'constraint'
  | 'conflict'
  | 'unavailable'
  | 'outcome_unknown'
  | 'closed'
  | 'other'

/** An error of the database. `transactionLost` is true if the surrounding transaction was lost with it. */
export class StorageError extends Error {
  readonly fault: StorageFault
  readonly transactionLost: boolean

  constructor(message: string, fault: StorageFault, transactionLost: boolean) {
    super(message)
    this.name = 'StorageError'
    this.fault = fault
    this.transactionLost = transactionLost
  }

  /** True if the fault lasts until someone acts: the log then reports it rarely (src/process/log.ts). */
  get lasts(): boolean {
    return this.fault === 'damaged' || this.fault === 'damaged_page' || this.fault === 'full'
  }
}

/** The database rejected a value as such. Its sender must get an error; the next value is accepted. */
export class UnfitValueError extends StorageError {
  constructor(message: string) {
    super(message, 'constraint', false)
    this.name = 'UnfitValueError'
  }
}

/** Returns whether a retry can succeed later: the input is not at fault. */
export const isTransient = (error: unknown): boolean =>
  error instanceof StorageError && !causedByInput.has(error.fault)

const causedByInput: ReadonlySet<StorageFault> = new Set(['constraint', 'damaged_page', 'other'])

/**
 * Returns whether the input is at fault: the database rejects its values, or the unit fails on them. A fault
 * that is neither this nor transient is of the database itself, such as a revoked privilege: someone must fix
 * it.
 */
export const isInputFault = (error: unknown): boolean =>
  !(error instanceof StorageError) || error.fault === 'constraint'

/**
 * Returns whether only this input fails, and others succeed: it is rejected, or one of its rows is on a
 * damaged page.
 */
export const failsAlone = (error: unknown): boolean =>
  isInputFault(error) || (error instanceof StorageError && error.fault === 'damaged_page')

/**
 * Units of work by name, for a writer that runs them where the database is. Inputs and results are plain
 * JSON.
 */
export type Units = Readonly<Record<string, (tx: Tx, input: never) => Promise<unknown>>>

/** Runs one of the units `U` in the next transaction and returns its result after the flush. */
export type RunUnit<U extends Units> = <N extends keyof U & string>(
  name: N,
  input: Parameters<U[N]>[1],
) => ReturnType<U[N]>

/**
 * Units whose calls can be merged: they accept an array and return one result per element. Waiting calls are
 * merged up to a limit on their weight, which the function computes from each input.
 */
export type Merging<U extends Units> = { readonly [N in keyof U]?: (input: Parameters<U[N]>[1]) => number }

/** The accounts of one input of a unit, which reads and writes rows of these alone; null if it needs all lanes. */
export type AccountsOfUnits<U extends Units> = {
  readonly [N in keyof U]?: (input: Parameters<U[N]>[1]) => Iterable<string> | null
}

/** What a module of units exports. */
export interface UnitsModule {
  units: Units
  merging?: Readonly<Record<string, (input: never) => number>>
  accountsOf?: Readonly<Record<string, (input: never) => Iterable<string> | null>>
}

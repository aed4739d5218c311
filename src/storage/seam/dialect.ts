import type { DialectAdapter, Kysely, Transaction } from 'kysely'
import type { Database } from '../tables/schema.ts'

/** Reads outside a transaction. Writing through it fails: the connection behind it is read-only. */
export type Db = Kysely<Database>
/** Reads that are made for one account. */
export type ReadOf = (accountId: string) => Db
/** Inside the writer's transaction. A function that asks for `Tx` cannot be called without one. */
export type Tx = Transaction<Database>

export type Value = string | number | null
export type Row = Record<string, Value>

export interface SelectEach {
  /**
   * A SELECT whose inputs stand as `:name`; run once for each set of inputs, results joined in order. `cross join … on` keeps SQLite to the
   * order in which the tables stand; PostgreSQL is given an inner join.
   */
  sql: string
  /** The names of the inputs, in the order of the values. */
  inputs: readonly string[]
  /** Inputs that are numbers though they may be null in every set: PostgreSQL has to be told. */
  numbers?: readonly string[]
}

/**
 * What differs between the databases, by name. Sets of rows travel in one message and with constant SQL text: on SQLite a
 * prepared statement runs once a row inside the transaction, on PostgreSQL arrays are unnested.
 */
export interface SetStatements {
  /** Inserts every row. All rows have the same columns. */
  insertRows(
    db: Tx,
    table: string,
    columns: readonly string[],
    rows: readonly Value[][],
    onConflict: 'fail' | 'ignore',
  ): Promise<number>
  /** Sets columns by key (a column may be in both: set to one value where it holds another). Gives the number of rows changed. */
  updateRows(
    db: Tx,
    table: string,
    columns: readonly string[],
    key: readonly string[],
    rows: readonly Value[][],
  ): Promise<number>
  /** Deletes by key. Gives the number of rows deleted. */
  deleteRows(db: Tx, table: string, key: readonly string[], rows: readonly Value[][]): Promise<number>
  /** Adds amounts of either sign to rows that exist, by key. */
  adjustRows(
    db: Tx,
    table: string,
    key: readonly string[],
    amounts: readonly string[],
    rows: readonly Value[][],
  ): Promise<number>
  /** Inserts, or adds the amounts to what stands there; `lowest` columns keep the smaller value. */
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
  /** Begins a transaction that reads one instant, whatever is written meanwhile. */
  readonly snapshotStart: string
  /** Gives the server's own time in milliseconds as `now`; null on the embedded database, which has none but the process's. */
  readonly clockQuery: string | null
  /** Gives which history of data the server writes as `cluster`; null on the embedded database. */
  readonly clusterQuery: string | null
}

/**
 * What went wrong in the database, in words that the rest of the program can act on. After `conflict` the writer runs the same units again;
 * after `outcome_unknown` nobody knows whether they were committed. A database that is `damaged` must be restored; of one with a `damaged_page` all goes on
 * but what meets that page (docs/decisions/0039-damage-of-a-shared-database.md).
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

/** An error of the database. `transactionLost` says that the surrounding transaction did not survive it. */
export class StorageError extends Error {
  readonly fault: StorageFault
  readonly transactionLost: boolean

  constructor(message: string, fault: StorageFault, transactionLost: boolean) {
    super(message)
    this.name = 'StorageError'
    this.fault = fault
    this.transactionLost = transactionLost
  }

  /** Whether it stays until somebody does something: the log says it seldom (src/process/log.ts). */
  get lasts(): boolean {
    return this.fault === 'damaged' || this.fault === 'damaged_page' || this.fault === 'full'
  }
}

/** The database refused a value for what it is. Whoever gave it is to be told so: the next one is taken. */
export class UnfitValueError extends StorageError {
  constructor(message: string) {
    super(message, 'constraint', false)
    this.name = 'UnfitValueError'
  }
}

/** Whether the database will take later what it did not take now: nothing is wrong with what it was offered. */
export const isPassing = (error: unknown): boolean =>
  error instanceof StorageError && !ofWhatWasOffered.has(error.fault)

const ofWhatWasOffered: ReadonlySet<StorageFault> = new Set(['constraint', 'damaged_page', 'other'])

/**
 * Whether what was offered is at fault: the database refuses its values, or the unit makes no statement of them. A fault that is neither this nor
 * passing is the database's own, as a right that was taken away: somebody will mend it.
 */
export const isRefusal = (error: unknown): boolean =>
  !(error instanceof StorageError) || error.fault === 'constraint'

/** Whether others are taken all the same, for as long as it is offered: it is refused, or one of its rows lies on a damaged page. */
export const isOfOne = (error: unknown): boolean =>
  isRefusal(error) || (error instanceof StorageError && error.fault === 'damaged_page')

/** Units of work by name, for a writer that runs them where the database is. What they take and give is plain JSON. */
export type Units = Readonly<Record<string, (tx: Tx, input: never) => Promise<unknown>>>

/** Runs one of the units `U` in the next transaction and gives its result after the flush. */
export type RunUnit<U extends Units> = <N extends keyof U & string>(
  name: N,
  input: Parameters<U[N]>[1],
) => ReturnType<U[N]>

/**
 * Units whose calls may be merged: they take an array and give one result for each element. Calls that wait together become one, up to a
 * bound on their weight, which is told by the input of each.
 */
export type Merging<U extends Units> = { readonly [N in keyof U]?: (input: Parameters<U[N]>[1]) => number }

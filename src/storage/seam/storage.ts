import type { Damage } from './damage.ts'
import type { Db, ReadOf, RunUnit, Units } from './dialect.ts'
import type { Signals } from './signals.ts'
import type { Writer } from './writer.ts'

/** The interface of the storage: many readers, one writer. */
export interface Storage<U extends Units = Units> {
  read: Db
  /**
   * Priority reads, for which calls and submissions wait: who calls, whether this node is ready, who has
   * opted out. On PostgreSQL they have connections of their own, which no page and no sweeper can occupy.
   */
  priorityRead: Db
  /**
   * Returns the reader for one account. On PostgreSQL it sees no rows of other accounts, even if the query
   * lacks the condition (row-security.ts).
   */
  readOf: ReadOf
  writer: Writer
  /** The history of the database (system identifier and timeline of the server); null on the embedded one. */
  cluster: string | null
  /** Broadcasts between the nodes of the database; null with one node, or if the settings switch them off. */
  signals: Signals | null
  /**
   * Runs a unit of the units module where the database is; used by all hot paths. Shares transactions with
   * `writer`.
   */
  runUnit: RunUnit<U>
  /**
   * Resolves when the thread that writes or the one for all reads has died: the server should end, and be
   * restarted.
   */
  died: Promise<Error>
  /**
   * Damage found in the file of the embedded database; null on PostgreSQL, which reports it per statement.
   */
  damage: Damage | null
  /** Returns the durations of recent commits, flush included. */
  flushTimes(): Promise<{ p50Ms: number; p99Ms: number }>
  sizes(): Promise<StorageSizes>
  /**
   * Checkpoints and truncates the write-ahead log of the embedded database, so that it contains no erased
   * data; returns false if another connection read for too long. Null on PostgreSQL, which manages its log
   * itself.
   */
  emptyLog(): Promise<boolean | null>
  /**
   * Checkpoints the write-ahead log of the embedded database while no transaction is open: the file is then
   * complete by itself.
   */
  checkpoint(): Promise<void>
  /**
   * Returns readers for accounts on separate connections, for long reads (exports), which must not delay
   * short ones.
   */
  openLongReads(): ReadOf
  close(): Promise<void>
}

/** Disk usage of the database in bytes; null on PostgreSQL, whose disk others use too. */
export interface StorageSizes {
  databaseBytes: number
  walBytes: number | null
  diskFreeBytes: number | null
}

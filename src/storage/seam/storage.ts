import type { Damage } from './damage.ts'
import type { Db, ReadOf, RunUnit, Units } from './dialect.ts'
import type { Signals } from './signals.ts'
import type { Writer } from './writer.ts'

/** The floor of the house: reads for everybody, one way to write. */
export interface Storage<U extends Units = Units> {
  read: Db
  /**
   * What calls and hand-overs wait for first: who calls, whether this node is ready, who has opted out. On PostgreSQL by connections of its own,
   * which no page and no janitor takes away.
   */
  readAtDoor: Db
  /** Reads for one account. On PostgreSQL they see nothing of another, whatever the query forgot (row-security.ts). */
  readOf: ReadOf
  writer: Writer
  /** The history that the database lies on (system identifier and timeline of the server); null on the embedded one. */
  cluster: string | null
  /** Between the nodes of the database; null where there is one, or where the settings say that nobody listens. */
  signals: Signals | null
  /** Runs a unit of the units module where the database is: the way of everything that is hot. Shares transactions with `writer`. */
  runUnit: RunUnit<U>
  /** Settles when the writing thread or the one that all read through has died: a server should end, and be started again. */
  died: Promise<Error>
  /** What was found damaged in the file of the embedded database; null where a server says it of each statement. */
  damage: Damage | null
  /** How long the last commits took, flush included. */
  flushTimes(): Promise<{ p50Ms: number; p99Ms: number }>
  sizes(): Promise<StorageSizes>
  /**
   * Takes the write-ahead log of the embedded database over into it and empties it, so that nothing of what was erased stands in it; false when
   * somebody read for too long. Null where the log is a server's matter.
   */
  emptyLog(): Promise<boolean | null>
  /** Takes over into the embedded database what its log holds, while no transaction is open: its file alone is a whole one then. */
  takeLogOver(): Promise<void>
  /** Reads for accounts by a connection of their own: long ones (exports), that must not stand in the way of short ones. */
  openLongReads(): ReadOf
  close(): Promise<void>
}

/** What the database takes of its disk, in bytes; null where that is a server's matter, which others use too. */
export interface StorageSizes {
  databaseBytes: number
  walBytes: number | null
  diskFreeBytes: number | null
}

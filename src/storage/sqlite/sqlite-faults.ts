import type { StorageFault } from '../seam/dialect.ts'

/**
 * Maps SQLite's primary result codes (sqlite.org/rescode.html), the low byte of an extended code. Errors that
 * are not caused by the statement are passing: an outcome that hits one is kept and its write retried, and
 * it is never stored as unknown.
 */
export function faultOf(code: number): StorageFault {
  switch (code & 0xff) {
    case 5: // BUSY
    case 6: // LOCKED
    // PROTOCOL: in WAL mode a connection lost the race for a transaction dozens of times over seconds. The
    // next attempt is a new race.
    case 15:
      return 'busy'
    // NOMEM: "unable to allocate all the memory it needed". Memory may be freed; a value that is too large is
    // TOOBIG, another code.
    case 7:
    // READONLY: the connection "does not have write permission". Rights were changed, the file was moved, or
    // the disk became read-only after a fault. Until the operator fixes it nothing is accepted; reads
    // continue, so the process does not end.
    case 8:
    case 10: // IOERR
    case 14: // CANTOPEN
      return 'unavailable'
    case 13: // FULL
      return 'full'
    case 11: // CORRUPT: "the database file has been corrupted"
    case 26: // NOTADB: the file "does not appear to be an SQLite database"
      return 'damaged'
    case 19: // CONSTRAINT
      return 'constraint'
    default:
      return 'other'
  }
}

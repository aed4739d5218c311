import type { StorageFault } from '../seam/dialect.ts'

/**
 * SQLite's primary result codes (sqlite.org/rescode.html); the low byte of an extended code. What says nothing against the statement is
 * passing: an outcome that meets it is kept and offered again, and never stored as unknown.
 */
export function faultOf(code: number): StorageFault {
  switch (code & 0xff) {
    case 5: // BUSY
    case 6: // LOCKED
    // PROTOCOL: in WAL mode a connection lost the race for a transaction dozens of times over seconds. The next try is a new race.
    case 15:
      return 'busy'
    // NOMEM: "unable to allocate all the memory it needed". Others give some back; a value beyond all measure is TOOBIG, another code.
    case 7:
    // READONLY: the connection "does not have write permission". Somebody changed rights, moved the file, or the disk went read-only after a fault:
    // it is theirs to mend, and until then nothing is taken; reading goes on, so the process does not end.
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

import { StorageError, type StorageFault, UnfitValueError } from '../seam/dialect.ts'

/**
 * What an SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html) asks of the program. What says nothing against the statement is
 * passing: an outcome that meets it is kept and offered again, and never stored as unknown.
 */
export function faultOfState(state: string): StorageFault {
  switch (state) {
    case '40001': // serialization_failure
    case '40P01': // deadlock_detected: the same units, run again, are in nobody's way.
      return 'conflict'
    case '53100': // disk_full
      return 'full'
    case 'XX001': // data_corrupted
    case 'XX002': // index_corrupted
      return 'damaged_page'
    case '55P03': // lock_not_available
    case '57014': // query_canceled: by one of the time-outs of the session
    case '53300': // too_many_connections
      return 'busy'
    // read_only_sql_transaction: the server has become a replica. Whoever leads now is found at the next connection.
    case '25006':
    case '25P03': // idle_in_transaction_session_timeout: this process stood still, and its transaction was ended.
    case '57P01': // admin_shutdown
    case '57P02': // crash_shutdown
    case '57P03': // cannot_connect_now
    case '57P04': // database_dropped
    case '57P05': // idle_session_timeout
      return 'unavailable'
  }
  switch (state.slice(0, 2)) {
    case '22': // data exception: a value that no column takes, such as a text with a NUL
    case '23': // integrity constraint violation
      return 'constraint'
    case '08': // connection exception
    case '53': // insufficient resources
    case '58': // system error, outside of PostgreSQL
      return 'unavailable'
    default:
      return 'other'
  }
}

/** Faults after which neither a savepoint nor anything else of the transaction is left. */
const endsTransaction: ReadonlySet<StorageFault> = new Set(['conflict', 'unavailable'])

/** What pg says of SCRAM where it has no password to answer with. */
const noPassword = /client password must be a (non-empty )?string/

/** Any error of the driver in words that the rest of the program can act on. Nothing of a row stands in them: only the server's sentence. */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  const { code, message, severity } = error as Error & { code?: string; severity?: string }
  if (severity === undefined && noPassword.test(message))
    return new StorageError('PostgreSQL asks for a password, and none is set', 'unavailable', true)
  // What the server says has a severity; everything else is said by the connection.
  if (severity === undefined || code === undefined)
    return new StorageError(`PostgreSQL cannot be reached: ${message}`, 'unavailable', true)
  if (code.startsWith('22')) return new UnfitValueError(`${message} (${code})`)
  const fault = faultOfState(code)
  return new StorageError(`${message} (${code})`, fault, endsTransaction.has(fault) || severity === 'FATAL')
}

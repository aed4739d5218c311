import { StorageError, type StorageFault, UnfitValueError } from '../seam/dialect.ts'

/**
 * Maps an SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html) to a fault. Errors that are not
 * caused by the statement are passing: an outcome that hits one is kept and its write retried, and it is never
 * stored as unknown.
 */
export function faultOfState(state: string): StorageFault {
  switch (state) {
    case '40001': // serialization_failure
    case '40P01': // deadlock_detected: a retry of the same units succeeds.
      return 'conflict'
    case '53100': // disk_full
      return 'full'
    case 'XX001': // data_corrupted
    case 'XX002': // index_corrupted
      return 'damaged_page'
    case '55P03': // lock_not_available
    case '57014': // query_canceled: by a timeout of the session
    case '53300': // too_many_connections
      return 'busy'
    // read_only_sql_transaction: the server has become a replica. The next connection finds the new primary.
    case '25006':
    case '25P03': // idle_in_transaction_session_timeout: this process stalled, and its transaction was aborted.
    case '57P01': // admin_shutdown
    case '57P02': // crash_shutdown
    case '57P03': // cannot_connect_now
    case '57P04': // database_dropped
    case '57P05': // idle_session_timeout
      return 'unavailable'
  }
  switch (state.slice(0, 2)) {
    case '22': // data exception: a value that no column accepts, such as a text with a NUL
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

/** Faults after which the whole transaction is lost, savepoints included. */
const endsTransaction: ReadonlySet<StorageFault> = new Set(['conflict', 'unavailable'])

/** The error of pg for SCRAM without a password. */
const noPassword = /client password must be a (non-empty )?string/

/**
 * Converts any error of the driver to a fault that the program can act on. It contains no data of rows: only
 * the server's message.
 */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  const { code, message, severity } = error as Error & { code?: string; severity?: string }
  if (severity === undefined && noPassword.test(message))
    return new StorageError('PostgreSQL requires a password, and none is set', 'unavailable', true)
  // Errors of the server have a severity; all others are errors of the connection.
  if (severity === undefined || code === undefined)
    return new StorageError(`PostgreSQL cannot be reached: ${message}`, 'unavailable', true)
  if (code.startsWith('22')) return new UnfitValueError(`${message} (${code})`)
  const fault = faultOfState(code)
  return new StorageError(`${message} (${code})`, fault, endsTransaction.has(fault) || severity === 'FATAL')
}

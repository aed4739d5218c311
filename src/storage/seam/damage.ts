import type { Clock } from '../../runtime/clock.ts'
import { type Log, sayAgainMs } from '../../process/log.ts'
import type { StorageError, StorageFault } from './dialect.ts'

/**
 * What was found damaged in the embedded database while it is served. From then on nothing is written to it: what SQLite reads of such a file may be
 * anything. It lasts until the process ends, since a backup is restored while none runs.
 */
export class Damage {
  #found: StorageError | null = null
  #tell: (error: StorageError) => void = () => undefined
  /** Settles when the first damage is found. */
  readonly told = new Promise<StorageError>((resolve) => (this.#tell = resolve))

  /** The first that was found; null while there is none. */
  get found(): StorageError | null {
    return this.#found
  }

  /** An error of the database; any other than of damage says nothing. */
  heard(error: StorageError): void {
    if (error.fault !== 'damaged' || this.#found !== null) return
    this.#found = error
    this.#tell(error)
  }
}

/** Says what must be done as soon as damage is found, and again now and then: a log is read at its end. */
export function sayDamage(
  damage: Damage | null,
  { log, clock }: { log: Pick<Log, 'error'>; clock: Clock },
): void {
  void damage?.told.then((error) => {
    const say = (): void => {
      log.error(damagedSentence(error))
      clock.schedule(sayAgainMs, say)
    }
    say()
  })
}

/** Whether the database is damaged, as a whole or in a page of it. */
export const isDamage = (fault: StorageFault): boolean => fault === 'damaged' || fault === 'damaged_page'

/** What somebody must do about it. `message` is what the database said. */
export const damagedSentence = ({ fault, message }: Pick<StorageError, 'fault' | 'message'>): string =>
  fault === 'damaged_page'
    ? `A page of the database is damaged (${message}). Look for more with pg_amcheck; rebuild an index (reindex), fail over to a replica, or restore a backup with the tools of PostgreSQL.`
    : `The database is damaged (${message}). Stop the server and restore a backup: onesixty restore <file>; onesixty doctor --full says what is wrong.`

import type { Clock } from '../../runtime/clock.ts'
import { type Log, sayAgainMs } from '../../process/log.ts'
import type { StorageError, StorageFault } from './dialect.ts'
import { ownCommand } from '../../process/own-command.ts'

/**
 * Damage found in the embedded database while it is served. From then on nothing is written to it: what
 * SQLite reads of such a file is not reliable. It lasts until the process ends, since a backup is restored
 * while no server runs.
 */
export class Damage {
  #found: StorageError | null = null
  #resolve: (error: StorageError) => void = () => undefined
  /** Resolves when the first damage is found. */
  readonly detected = new Promise<StorageError>((resolve) => (this.#resolve = resolve))

  /** The first damage found; null if there is none. */
  get found(): StorageError | null {
    return this.#found
  }

  /** Records an error of the database; errors other than damage are ignored. */
  record(error: StorageError): void {
    if (error.fault !== 'damaged' || this.#found !== null) return
    this.#found = error
    this.#resolve(error)
  }
}

/** Logs what to do as soon as damage is found, and repeats it from time to time: a log is read at its end. */
export function sayDamage(
  damage: Damage | null,
  { log, clock }: { log: Pick<Log, 'error'>; clock: Clock },
): void {
  void damage?.detected.then((error) => {
    const say = (): void => {
      log.error(damagedSentence(error))
      clock.schedule(sayAgainMs, say)
    }
    say()
  })
}

/** Returns whether the fault is damage of the whole database or of a page. */
export const isDamage = (fault: StorageFault): boolean => fault === 'damaged' || fault === 'damaged_page'

/** Returns what to do about damage. `message` is the error of the database. */
export const damagedSentence = ({ fault, message }: Pick<StorageError, 'fault' | 'message'>): string =>
  fault === 'damaged_page'
    ? `A page of the database is damaged (${message}). Search for more with pg_amcheck; rebuild an index (reindex), fail over to a replica, or restore a backup with the tools of PostgreSQL.`
    : `The database is damaged (${message}). Stop the server and restore a backup: ${ownCommand()} restore <file>; ${ownCommand()} doctor --full shows details.`

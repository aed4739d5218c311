import type { StorageError } from './dialect.ts'

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

/** What somebody must do about it. `message` is what the database said. */
export const damagedSentence = (message: string): string =>
  `The database is damaged (${message}). Stop the server and restore a backup: onesixty restore <file>, or with the tools of PostgreSQL; onesixty doctor --full says what is wrong.`

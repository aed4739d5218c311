import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasCode, isLastingFault, readIfThere, writeDurably } from '../../process/durable-file.ts'
import { StorageError } from '../seam/dialect.ts'
import { UnusableError } from '../seam/unusable-error.ts'

/** What the data folder knows of its database, in a file beside it: a database that comes back from a backup is behind it (epoch.ts). */
export interface EpochFile {
  /** Of the last start in this folder. */
  epoch: number
  /** When its database was made; null in a file of an earlier version. */
  createdAt: number | null
  /** How far the database was with the work that this folder knows of: `instance.progress`. 0 in a file of an earlier version. */
  progress: number
}

export const epochFile = (dataFolder: string): string => join(dataFolder, 'epoch')

/** Reads the file of a data folder; null when there is none. Refuses one that is damaged or out of reach (`UnusableError`). */
export async function readEpochFile(dataFolder: string): Promise<EpochFile | null> {
  const file = epochFile(dataFolder)
  const text = await reach(file, readIfThere(file))
  if (text === null) return null
  const [said, epoch, createdAt = null, progress = 0] =
    /^(\d{1,15})(?:\n(\d{1,15})(?:\n(\d{1,15}))?)?\n?$/.exec(text) ?? []
  if (said !== undefined)
    return {
      epoch: Number(epoch),
      createdAt: createdAt === null ? null : Number(createdAt),
      progress: Number(progress),
    }
  throw new UnusableError(
    `${file} does not hold a number. Remove it: what waits is then held until you decide (onesixty restore).`,
  )
}

/** Writes the whole file, flushed. Refuses where that cannot be done until somebody has put it right (`UnusableError`). */
export async function writeEpochFile(
  dataFolder: string,
  { epoch, createdAt, progress }: EpochFile & { createdAt: number },
): Promise<void> {
  const file = epochFile(dataFolder)
  await reach(file, writeDurably(file, `${headOf({ epoch, createdAt })}${inDigits(progress)}\n`))
}

const headOf = ({ epoch, createdAt }: { epoch: number; createdAt: number }): string =>
  `${epoch}\n${createdAt}\n`

const digits = 15
/** Of one length, so that a later number takes the place of an earlier one, within one sector of a disk. */
const inDigits = (progress: number): string => String(progress).padStart(digits, '0')

/** Writes how far the database is over the number that the file holds. */
export class ProgressFile {
  readonly #fd: number
  readonly #place: number
  readonly #writeAt: typeof writeSync
  #known: number
  #written: number
  #flushed: number

  /** Of a file that `writeEpochFile` wrote with the same values. */
  constructor(
    dataFolder: string,
    { epoch, createdAt, progress }: EpochFile & { createdAt: number },
    writeAt = writeSync,
  ) {
    this.#fd = openSync(epochFile(dataFolder), 'r+')
    this.#place = Buffer.byteLength(headOf({ epoch, createdAt }))
    this.#writeAt = writeAt
    this.#known = this.#written = this.#flushed = progress
  }

  /** The largest number that was to be written. */
  get progress(): number {
    return this.#known
  }

  /** Written, it outlives the process; the machine it outlives once it is flushed. A smaller number than the last says nothing. */
  write(progress: number): void {
    this.#known = Math.max(this.#known, progress)
    this.catchUp()
  }

  /**
   * Writes what could not be written before. Throws a `StorageError` while it cannot: a database that is put back then would not be noticed, so nothing
   * is claimed.
   */
  catchUp(): void {
    if (this.#written === this.#known) return
    try {
      const octets = this.#writeAt(this.#fd, inDigits(this.#known), this.#place)
      if (octets < digits) throw new Error(`${octets} of ${digits} octets were written`)
    } catch (error) {
      throw unwritten(error as Error)
    }
    this.#written = this.#known
  }

  async flush(): Promise<void> {
    this.catchUp()
    const written = this.#written
    if (written === this.#flushed) return
    await promisify(fdatasync)(this.#fd)
    this.#flushed = written
  }

  /** Lets go of the file, whatever it takes. */
  close(): void {
    try {
      this.catchUp()
      fdatasyncSync(this.#fd)
    } finally {
      closeSync(this.#fd)
    }
  }
}

const unwritten = (error: Error): StorageError =>
  new StorageError(
    `the file of epochs cannot be written, and nothing is claimed until it can: ${error.message}`,
    hasCode(error, 'ENOSPC') ? 'full' : 'unavailable',
    false,
  )

/** Waits for what is done with a file. Refuses where a later try would find the same; what may pass by itself stays the fault that it is. */
async function reach<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (!isLastingFault(code)) throw error
    throw new UnusableError(`${file} cannot be read and written (${code}). Let this user do both.`, {
      cause: error,
    })
  }
}

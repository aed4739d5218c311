import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasCode, isLastingFault, readIfThere, writeDurably } from '../../process/durable-file.ts'
import { StorageError } from '../seam/dialect.ts'
import { UnusableError } from '../seam/unusable-error.ts'
import { ownCommand } from '../../process/own-command.ts'

/**
 * What the data folder knows of its database, in a file next to it. After a restore from a backup the
 * database is older than this file (epoch.ts).
 */
export interface EpochFile {
  /** Epoch of the last start in this folder. */
  epoch: number
  /** When its database was created; null in a file of an earlier version. */
  createdAt: number | null
  /** The largest `instance.progress` that this folder has seen. 0 in a file of an earlier version. */
  progress: number
}

export const epochFile = (dataFolder: string): string => join(dataFolder, 'epoch')

/**
 * Reads the file of a data folder; returns null if there is none. Throws `UnusableError` if it is damaged or
 * not accessible.
 */
export async function readEpochFile(dataFolder: string): Promise<EpochFile | null> {
  const file = epochFile(dataFolder)
  const text = await reach(file, readIfThere(file))
  if (text === null) return null
  const [match, epoch, createdAt = null, progress = 0] =
    /^(\d{1,15})(?:\n(\d{1,15})(?:\n(\d{1,15}))?)?\n?$/.exec(text) ?? []
  if (match !== undefined)
    return {
      epoch: Number(epoch),
      createdAt: createdAt === null ? null : Number(createdAt),
      progress: Number(progress),
    }
  throw new UnusableError(
    `${file} does not contain a number. Remove it: scheduled and queued messages are then held until you decide (${ownCommand()} restore).`,
  )
}

/**
 * Writes the whole file and flushes it. Throws `UnusableError` if that is impossible until someone fixes it.
 */
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
/**
 * Formats with a constant length, so that a later number overwrites an earlier one within one sector of a
 * disk.
 */
const inDigits = (progress: number): string => String(progress).padStart(digits, '0')

/** Overwrites the progress of the database in the file. */
export class ProgressFile {
  readonly #fd: number
  readonly #place: number
  readonly #writeAt: typeof writeSync
  #known: number
  #written: number
  #flushed: number

  /** Opens a file that `writeEpochFile` wrote with the same values. */
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

  /** The largest number passed to `write`. */
  get progress(): number {
    return this.#known
  }

  /**
   * Writes the number. It survives the process; once flushed, it survives the machine. A number below the
   * last one is ignored.
   */
  write(progress: number): void {
    this.#known = Math.max(this.#known, progress)
    this.catchUp()
  }

  /**
   * Writes what could not be written before. Throws a `StorageError` if that fails again: a restore of the
   * database would then go unnoticed, so nothing is claimed.
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

  /** Closes the file in any case. */
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
    `the epoch file cannot be written, and nothing is claimed until it can: ${error.message}`,
    hasCode(error, 'ENOSPC') ? 'full' : 'unavailable',
    false,
  )

/**
 * Awaits an operation on a file. Throws `UnusableError` if a retry would fail in the same way; other errors
 * stay as they are.
 */
async function reach<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (!isLastingFault(code)) throw error
    throw new UnusableError(`${file} cannot be read and written (${code}). Grant this user both.`, {
      cause: error,
    })
  }
}

import { closeSync, openSync, renameSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../runtime/clock.ts'
import type { Outcome } from '../../connectors/connector.ts'
import { readIfThere } from '../../process/durable-file.ts'
import type { Service } from '../../process/lifecycle.ts'

/**
 * Logs what this process submitted and each outcome, line by line, to a file that is written but not flushed:
 * it survives the process, not the machine. It lets a link get its next message before the outcome of the
 * previous one is flushed. After a kill it shows for each open attempt whether it was submitted, and its
 * outcome if there was one (docs/decisions/0016-claims-ahead-of-the-window.md).
 */
export class SubmissionLog implements Service {
  readonly #clock: Pick<Clock, 'schedule'>
  readonly #path: string
  readonly #header: string
  readonly #isTrusted: boolean
  /** Attempts of the file whose outcome is not flushed yet, with their lines. */
  readonly #open = new Map<string, string>()
  #fd: number | null = null
  #bytes = 0
  #cancelRetry = (): void => undefined

  /** Without a `boot` no log is kept: it would later be unknown whether the machine was up all the time. */
  constructor({ clock, dataFolder, epoch, boot }: SubmissionLogDeps) {
    this.#clock = clock
    this.#path = fileIn(dataFolder)
    this.#header = `${JSON.stringify({ epoch, boot })}\n`
    this.#isTrusted = boot !== null
  }

  /** Whether attempts may be claimed that rely on the log. */
  get isKept(): boolean {
    return this.#fd !== null
  }

  /** Replaces the former file, whose attempts have been settled. */
  async start(): Promise<void> {
    if (this.#isTrusted) this.#begin()
  }

  async stop(): Promise<void> {
    this.#cancelRetry()
    this.#close()
  }

  /** Logs attempts about to be submitted. Throws when that fails: then they must not be submitted. */
  logSubmissions(attemptIds: readonly string[]): void {
    for (const id of attemptIds) this.#open.set(id, `${id}\n`)
    try {
      this.#write(attemptIds.map((id) => `${id}\n`).join(''))
    } catch (error) {
      for (const id of attemptIds) this.#open.delete(id)
      throw error
    }
  }

  /** Logs an outcome that is not flushed yet. */
  logOutcome(attemptId: string, outcome: Outcome): void {
    const line = `${attemptId} ${JSON.stringify(outcome)}\n`
    this.#open.set(attemptId, `${attemptId}\n${line}`)
    try {
      this.#write(line)
    } catch {
      // Nothing more is claimed that relies on the file until it can be written. A kill before that makes
      // this outcome unknown.
    }
  }

  /** Records that its outcome is flushed. */
  forget(attemptId: string): void {
    this.#open.delete(attemptId)
  }

  #write(text: string): void {
    if (this.#fd === null) throw new Error('the submission log is not kept')
    try {
      if (this.#bytes > maxBytes) this.#begin()
      else this.#append(this.#fd, text)
    } catch (error) {
      this.#suspend()
      throw error
    }
  }

  /** A log that cannot be written is not kept; the disk may have room later. */
  #suspend(): void {
    this.#close()
    this.#cancelRetry = this.#clock.schedule(retryMs, () => {
      try {
        this.#begin()
      } catch {
        this.#suspend()
      }
    })
  }

  /** Starts a new file with only what is open; at every instant the name refers to a complete one. */
  #begin(): void {
    const draft = `${this.#path}.new`
    const fd = openSync(draft, 'w', 0o600)
    const before = this.#fd
    this.#fd = fd
    this.#bytes = 0
    try {
      this.#append(fd, [this.#header, ...this.#open.values()].join(''))
      renameSync(draft, this.#path)
    } finally {
      if (before !== null) closeSync(before)
    }
  }

  #append(fd: number, text: string): void {
    const bytes = Buffer.from(text)
    if (writeSync(fd, bytes) !== bytes.length) throw new Error('the disk is full')
    this.#bytes += bytes.length
  }

  #close(): void {
    if (this.#fd !== null) closeSync(this.#fd)
    this.#fd = null
  }
}

export interface SubmissionLogDeps {
  clock: Pick<Clock, 'schedule'>
  dataFolder: string
  epoch: number
  boot: string | null
}

/** About 15 s of a link at 500 messages per second; what is open fits many times. */
const maxBytes = 1_048_576
const retryMs = 5_000
const fileIn = (dataFolder: string): string => join(dataFolder, 'hand-overs.log')

/** What an earlier process logged: its outcome by attempt, or null if there was none. */
export interface PastSubmissions {
  epoch: number
  outcomes: ReadonlyMap<string, Outcome | null>
}

/**
 * Reads what the earlier process logged; null when nothing can be relied on. `boot` identifies this run of
 * the machine: a file of another run may lack its last lines.
 */
export async function readPastSubmissions(
  dataFolder: string,
  boot: string | null,
): Promise<PastSubmissions | null> {
  const text = boot === null ? null : await readIfThere(fileIn(dataFolder))
  const [header = '', ...lines] = text?.split('\n') ?? []
  const parsed = parse(header) as { epoch?: unknown; boot?: unknown } | null
  if (parsed === null || parsed.boot !== boot || typeof parsed.epoch !== 'number') return null
  const outcomes = new Map<string, Outcome | null>()
  // Nothing follows the last line break, or a line that was cut off: its write was not complete, so nothing
  // was submitted.
  for (const line of lines.slice(0, -1)) {
    const [id = ''] = line.split(' ', 1)
    const outcome = line.length > id.length ? (parse(line.slice(id.length + 1)) as Outcome | null) : null
    outcomes.set(id, outcome ?? outcomes.get(id) ?? null)
  }
  return { epoch: parsed.epoch, outcomes }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Identifies this run of the machine; null where that is not available. */
export const readBoot = (): Promise<string | null> =>
  readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (text) => text.trim(),
    () => null,
  )

/** Logs that an attempt is about to be submitted. Returns false when that fails: then it must not be submitted. */
export function tryLogSubmission(
  log: Pick<SubmissionLog, 'logSubmissions'> | undefined,
  { attemptId }: { attemptId: string },
): boolean {
  try {
    log?.logSubmissions([attemptId])
    return log !== undefined
  } catch {
    return false
  }
}

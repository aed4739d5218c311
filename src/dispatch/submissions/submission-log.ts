import { closeSync, openSync, renameSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../runtime/clock.ts'
import type { Outcome } from '../../connectors/connector.ts'
import { readIfThere } from '../../process/durable-file.ts'
import type { Service } from '../../process/lifecycle.ts'

/**
 * What left this process and what came of it, line by line, in a file that is written and not flushed: it outlives the process, and not the machine.
 * It lets a link be given its next message before the outcome of the one before is flushed: after a kill it tells of each open attempt
 * whether it had left, and whether its answer had come (docs/decisions/0016-claims-ahead-of-the-window.md).
 */
export class SubmissionLog implements Service {
  readonly #clock: Pick<Clock, 'schedule'>
  readonly #path: string
  readonly #header: string
  readonly #isTrusted: boolean
  /** Attempts of the file whose end is not flushed yet, with their lines. */
  readonly #open = new Map<string, string>()
  #fd: number | null = null
  #bytes = 0
  #cancelRetry = (): void => undefined

  /** Without a `boot` it is not kept: nobody could tell later whether the machine was up all the time. */
  constructor({ clock, dataFolder, epoch, boot }: SubmissionLogDeps) {
    this.#clock = clock
    this.#path = fileIn(dataFolder)
    this.#header = `${JSON.stringify({ epoch, boot })}\n`
    this.#isTrusted = boot !== null
  }

  /** Whether attempts may be claimed that rely on it. */
  get isKept(): boolean {
    return this.#fd !== null
  }

  /** Takes the place of the file before: what that one tells has been settled. */
  async start(): Promise<void> {
    if (this.#isTrusted) this.#begin()
  }

  async stop(): Promise<void> {
    this.#cancelRetry()
    this.#close()
  }

  /** These are about to be handed over. Throws when that cannot be written down: then they must not be. */
  left(attemptIds: readonly string[]): void {
    for (const id of attemptIds) this.#open.set(id, `${id}\n`)
    try {
      this.#write(attemptIds.map((id) => `${id}\n`).join(''))
    } catch (error) {
      for (const id of attemptIds) this.#open.delete(id)
      throw error
    }
  }

  /** Its outcome is known here, and not flushed yet. */
  ended(attemptId: string, outcome: Outcome): void {
    const line = `${attemptId} ${JSON.stringify(outcome)}\n`
    this.#open.set(attemptId, `${attemptId}\n${line}`)
    try {
      this.#write(line)
    } catch {
      // Nothing more is claimed that relies on the file until it can be written again. A kill before that makes this outcome unknown.
    }
  }

  /** Its outcome is flushed. */
  stored(attemptId: string): void {
    this.#open.delete(attemptId)
  }

  #write(text: string): void {
    if (this.#fd === null) throw new Error('the log of hand-overs is not kept')
    try {
      if (this.#bytes > maxBytes) this.#begin()
      else this.#append(this.#fd, text)
    } catch (error) {
      this.#giveUp()
      throw error
    }
  }

  /** What cannot be written is not kept; the disk may have room again. */
  #giveUp(): void {
    this.#close()
    this.#cancelRetry = this.#clock.schedule(retryMs, () => {
      try {
        this.#begin()
      } catch {
        this.#giveUp()
      }
    })
  }

  /** A new file, of what is open alone; at every instant the name holds a whole one. */
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

/** Some 15 s of a link at 500 messages a second; what is open fits many times. */
const maxBytes = 1_048_576
const retryMs = 5_000
const fileIn = (dataFolder: string): string => join(dataFolder, 'hand-overs.log')

/** What a process before this one wrote down: by attempt its outcome, or null where none had come. */
export interface PastSubmissions {
  epoch: number
  outcomes: ReadonlyMap<string, Outcome | null>
}

/**
 * Reads what the process before wrote down; null when there is nothing that can be relied on. `boot` names this run of the machine: a
 * file of another may lack its last lines.
 */
export async function readPastSubmissions(
  dataFolder: string,
  boot: string | null,
): Promise<PastSubmissions | null> {
  const text = boot === null ? null : await readIfThere(fileIn(dataFolder))
  const [header = '', ...lines] = text?.split('\n') ?? []
  const told = parse(header) as { epoch?: unknown; boot?: unknown } | null
  if (told === null || told.boot !== boot || typeof told.epoch !== 'number') return null
  const outcomes = new Map<string, Outcome | null>()
  // Behind the last line break stands nothing, or what was cut off: it was not written before anything left.
  for (const line of lines.slice(0, -1)) {
    const [id = ''] = line.split(' ', 1)
    const outcome = line.length > id.length ? (parse(line.slice(id.length + 1)) as Outcome | null) : null
    outcomes.set(id, outcome ?? outcomes.get(id) ?? null)
  }
  return { epoch: told.epoch, outcomes }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Names this run of the machine; null where it does not say. */
export const readBoot = (): Promise<string | null> =>
  readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (text) => text.trim(),
    () => null,
  )

/** Whether it is written down that an attempt leaves. One that cannot be must not. */
export function hasLeft(
  log: Pick<SubmissionLog, 'left'> | undefined,
  { attemptId }: { attemptId: string },
): boolean {
  try {
    log?.left([attemptId])
    return log !== undefined
  } catch {
    return false
  }
}

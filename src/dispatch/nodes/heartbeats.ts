import type { ToldTime } from '../../runtime/agreed-clock.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { ProgressFile } from '../../storage/instance/epoch-file.ts'
import { type Beat, beatNode, leaveNodes } from '../../storage/instance/nodes.ts'
import type { MissingSecrets } from '../../process/instance-secret.ts'
import { SecretGivenUpError } from '../../storage/instance/secret-mark.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'
import { Sweeper, type SweeperDeps } from '../sweepers/sweeper.ts'
import { ownCommand } from '../../process/own-command.ts'

export interface HeartbeatsDeps extends SweeperDeps {
  writer: Pick<Writer, 'write'>
  epoch: number
  name: string
  /** No other process serves the database: none listens, and none takes over what this one leaves. */
  isAlone: boolean
  /** Whether this node may run the cleanup jobs for all. */
  tidies: boolean
  /** Marks of the secrets that it seals with. */
  marks: readonly string[]
  /** Called when the secrets were retired while this node counted as dead: it must stop. */
  secretGivenUp?: (lacks: MissingSecrets) => void
  /** How far this node has seen the database. */
  progress: Pick<ProgressFile, 'progress' | 'write'>
  /** Called when the database does not know what this node reported to it. */
  wasRestored?: () => void
  /** Receives the time of the database with each heartbeat. */
  heard?: (told: ToldTime) => void
  times?: Times
}

/** The heartbeats of this node: reports that it is alive, and knows which of its peers are. */
export class Heartbeats extends Sweeper {
  readonly #deps: HeartbeatsDeps
  readonly #times: Times
  #alive: readonly number[]
  #leader: number | null
  #beatMs = Number.NEGATIVE_INFINITY
  #saidAt: number | null = null
  #isUntidied = false

  constructor(deps: HeartbeatsDeps) {
    const times = deps.times ?? usualTimes
    super(deps, {
      name: 'heartbeats',
      intervalMs: times.heartbeatMs,
      sweep: async () => {
        if (!deps.isAlone) await this.#beat()
        return false
      },
    })
    this.#deps = deps
    this.#times = times
    this.#alive = [deps.epoch]
    this.#leader = null
  }

  /** How many nodes were alive at the last heartbeat, this one included. */
  get count(): number {
    return this.#alive.length
  }

  /**
   * Returns whether this node does what one of them does for all: the one with the oldest start, while it
   * knows that it counts as alive.
   */
  readonly leads = (): boolean => {
    const { isAlone, epoch, clock } = this.#deps
    return isAlone || (this.#leader === epoch && clock.monotonicMs() - this.#beatMs < this.#times.leadsForMs)
  }

  override async start(): Promise<void> {
    await this.sweepAll()
    await super.start()
  }

  /** Stops last of all services. */
  override async stop(): Promise<void> {
    await super.stop()
    const { writer, clock, log, epoch } = this.#deps
    await writer
      .write((tx) => leaveNodes(tx, clock, epoch))
      .catch((error: unknown) => log.warn({ err: error }, 'failed to record that this node stops'))
  }

  async #beat(): Promise<void> {
    const { writer, clock, log, epoch, name, tidies, marks, progress, heard, wasRestored } = this.#deps
    // Counted from before the request: never later than in the database.
    const beatMs = clock.monotonicMs()
    const beat: Beat = await writer
      .write((tx) =>
        beatNode(
          tx,
          clock,
          { epoch, name, tidies, marks, saidBefore: this.#saidAt, known: progress.progress },
          this.#times,
        ),
      )
      .catch((error: unknown) => {
        if (error instanceof SecretGivenUpError) this.#deps.secretGivenUp?.(error.lacks)
        throw error
      })
    heard?.({ databaseMs: beat.saidAt, askedMs: beatMs, answeredMs: clock.monotonicMs() })
    this.#beatMs = beatMs
    this.#saidAt = beat.saidAt
    this.#alive = beat.alive
    if (beat.leader === null && !this.#isUntidied)
      log.error(
        'no live node has the role janitor: nothing expires, is purged or recovered from a dead node; start one (--roles)',
      )
    this.#isUntidied = beat.leader === null
    this.#leader = beat.leader
    if (beat.held !== null) {
      log.error(
        { messages: beat.held },
        `the database was restored while this node ran: scheduled and queued messages are held; decide with ${ownCommand()} restore release, cancel or settle`,
      )
      wasRestored?.()
    }
    if (beat.wasSilenced)
      log.warn(
        'this node was declared dead by its peers and has resumed; leases that others took over are lost',
      )
    if (beat.silenced.length > 0)
      log.warn({ epochs: beat.silenced }, 'nodes without a heartbeat for too long were declared dead')
    // Last: it may fail, and the heartbeat is recorded already.
    progress.write(beat.progress)
  }
}

import type { ToldTime } from '../../runtime/agreed-clock.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { ProgressFile } from '../../storage/instance/epoch-file.ts'
import { type Beat, beatNode, leaveNodes } from '../../storage/instance/nodes.ts'
import type { MissingSecrets } from '../../process/instance-secret.ts'
import { SecretGivenUpError } from '../../storage/instance/secret-mark.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'
import { Sweeper, type SweeperDeps } from '../sweepers/sweeper.ts'

export interface HeartbeatsDeps extends SweeperDeps {
  writer: Pick<Writer, 'write'>
  epoch: number
  name: string
  /** No other process serves the database: nobody listens, and nobody else does what this one leaves. */
  isAlone: boolean
  /** Whether it may tidy up for all. */
  tidies: boolean
  /** Of the secrets that it seals with. */
  marks: readonly string[]
  /** They were given up while it was taken for dead: it must end. */
  secretGivenUp?: (lacks: MissingSecrets) => void
  /** How far this node has seen the database. */
  progress: Pick<ProgressFile, 'progress' | 'write'>
  /** The database does not know what this node told it. */
  wasPutBack?: () => void
  /** Each beat brings the time of the database with it. */
  heard?: (told: ToldTime) => void
  times?: Times
}

/** This node among those of its database: says that it lives, and knows who else does. */
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

  /** How many nodes lived at the last beat, this one included. */
  get count(): number {
    return this.#alive.length
  }

  /** Whether this node does what one of them does for all: the one whose start is the longest ago, while it knows that it lives. */
  readonly leads = (): boolean => {
    const { isAlone, epoch, clock } = this.#deps
    return isAlone || (this.#leader === epoch && clock.monotonicMs() - this.#beatMs < this.#times.leadsForMs)
  }

  override async start(): Promise<void> {
    await this.sweepAll()
    await super.start()
  }

  /** The last of all to stop. */
  override async stop(): Promise<void> {
    await super.stop()
    const { writer, clock, log, epoch } = this.#deps
    await writer
      .write((tx) => leaveNodes(tx, clock, epoch))
      .catch((error: unknown) => log.warn({ err: error }, 'it could not be said that this node leaves'))
  }

  async #beat(): Promise<void> {
    const { writer, clock, log, epoch, name, tidies, marks, progress, heard, wasPutBack } = this.#deps
    // Counted from before it was asked: never later than the database has it.
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
        'no living node has the role janitor: nothing expires, is rescued from a dead node or is forgotten; start one (--roles)',
      )
    this.#isUntidied = beat.leader === null
    this.#leader = beat.leader
    if (beat.held !== null) {
      log.error(
        { messages: beat.held },
        'the database was restored while this node ran: queued messages are held; decide with onesixty restore release, cancel or settle',
      )
      wasPutBack?.()
    }
    if (beat.wasSilenced) log.warn('this node was taken for dead; it goes on, without what others took over')
    if (beat.silenced.length > 0)
      log.warn({ epochs: beat.silenced }, 'nodes have said nothing for too long and count as dead')
    // Last: it may fail, and the beat has been taken.
    progress.write(beat.progress)
  }
}

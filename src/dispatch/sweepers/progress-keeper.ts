import type { WriteHorizon } from '../../messages/history/history-horizon.ts'
import type { ProgressFile } from '../../storage/instance/epoch-file.ts'
import { advanceProgress } from '../../storage/instance/progress.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

export interface ProgressKeeperDeps extends SweeperDeps {
  writer: Pick<Writer, 'write'>
  horizon: Pick<WriteHorizon, 'begun'>
  file: ProgressFile
}

/** What nobody is told of for so long may be put back unnoticed. Claims say it themselves, each before its first byte leaves. */
const intervalMs = 5_000

/**
 * Keeps the file beside the database as far as the database is: a copy that is put back later is behind it, and what waits in it is held (P14). While
 * nothing is written it writes nothing.
 */
export class ProgressKeeper extends Sweeper {
  readonly #deps: ProgressKeeperDeps
  /** Writes of messages that the last number is behind. */
  #begun = -1

  constructor(deps: ProgressKeeperDeps) {
    super(deps, {
      name: 'progress-keeper',
      intervalMs,
      sweep: async () => {
        await this.#advance()
        return false
      },
    })
    this.#deps = deps
  }

  /** Each start counts: a database of which the log was lost since is behind it. */
  override async start(): Promise<void> {
    await this.#advance()
    await super.start()
  }

  override async stop(): Promise<void> {
    await super.stop()
    await this.#advance().catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, 'what was done last may be put back unnoticed'),
    )
  }

  async #advance(): Promise<void> {
    const { writer, horizon, file } = this.#deps
    const { begun } = horizon
    if (begun !== this.#begun) {
      file.write(await writer.write((tx) => advanceProgress(tx, file.progress)))
      this.#begun = begun
    }
    await file.flush()
  }
}

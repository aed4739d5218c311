import { readChangeMark } from '../../messages/core/change-number.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { ProgressFile } from '../../storage/instance/epoch-file.ts'
import { advanceProgress } from '../../storage/instance/progress.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

export interface ProgressKeeperDeps extends SweeperDeps {
  writer: Pick<Writer, 'write'>
  read: Db
  file: ProgressFile
}

/**
 * How much may be lost by a restore without being noticed. Claims record their progress themselves, before
 * their first byte is sent.
 */
const intervalMs = 5_000

/**
 * Keeps the progress file next to the database up to date: a copy that is restored later is older than the
 * file, and what is queued in it is held (P14). Without writes to the database it writes nothing.
 */
export class ProgressKeeper extends Sweeper {
  readonly #deps: ProgressKeeperDeps
  /** What changes of messages there were before the last number. */
  #mark = ''

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

  /** Each start counts: a database that lost its log since then is older than the file. */
  override async start(): Promise<void> {
    await this.#advance()
    await super.start()
  }

  override async stop(): Promise<void> {
    await super.stop()
    await this.#advance().catch((error: unknown) =>
      this.#deps.log.warn(
        { err: error },
        'failed to store the progress: a restore may lose the last changes unnoticed',
      ),
    )
  }

  async #advance(): Promise<void> {
    const { read, writer, file } = this.#deps
    const mark = await readChangeMark(read)
    if (mark !== this.#mark) {
      file.write(await writer.write((tx) => advanceProgress(tx, file.progress)))
      this.#mark = mark
    }
    await file.flush()
  }
}

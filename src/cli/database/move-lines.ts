import type { MoveProgress } from '../../storage/move/move-database.ts'
import type { CommandIo } from '../core/command-context.ts'

const drawEveryMs = 200
/** Without a terminal each line stays. */
const printEveryMs = 10_000

/** Prints the progress of a move: on a terminal one line that is redrawn, else a line every 10 s. */
export class MoveLines {
  readonly #out: CommandIo['stdout'] | null
  readonly #monotonicMs: () => number
  /** Time and row count of the first page: the rate is measured from there. */
  #firstPage: { atMs: number; rows: number } | null = null
  #printedMs = -Infinity
  #step: MoveProgress['step'] | null = null
  #isOpen = false

  constructor(out: CommandIo['stdout'] | null, monotonicMs: () => number) {
    this.#out = out
    this.#monotonicMs = monotonicMs
  }

  readonly show = (progress: MoveProgress): void => {
    if (this.#out === null) return
    const nowMs = this.#monotonicMs()
    if (progress.step === 'copying') this.#firstPage ??= { atMs: nowMs, rows: progress.rows.copied }
    const everyMs = this.#out.isTTY === true ? drawEveryMs : printEveryMs
    if (progress.step === this.#step && nowMs - this.#printedMs < everyMs) return
    this.#step = progress.step
    this.#printedMs = nowMs
    const line = moveLine(
      progress,
      this.#firstPage === null ? null : { ...this.#firstPage, tookMs: nowMs - this.#firstPage.atMs },
    )
    if (this.#out.isTTY !== true) {
      this.#out.write(`${line}\n`)
      return
    }
    // Cut to one row, so that it can be redrawn.
    this.#out.write(`\r${line.slice(0, (this.#out.columns ?? 80) - 1)}\u001b[K`)
    this.#isOpen = true
  }

  /** Keeps the last line and ends it. */
  end(): void {
    if (this.#isOpen) this.#out?.write('\n')
    this.#isOpen = false
  }
}

/** A shorter time gives no useful rate. */
const minMeasuredMs = 1_000

/** Formats one line: the step, the rows, and once measured the rate and the time left. */
export function moveLine(
  { step, table, rows: { copied, total } }: MoveProgress,
  since: { rows: number; tookMs: number } | null,
): string {
  if (step !== 'copying' || table === null) return sentences[step]
  const share = total === 0 ? 100 : Math.min(100, Math.floor((copied / total) * 100))
  const done = `copying ${table}: ${count(copied)} of ${count(total)} rows (${share}%)`
  if (since === null || since.tookMs < minMeasuredMs || copied === since.rows) return done
  const perSecond = ((copied - since.rows) * 1_000) / since.tookMs
  return `${done}, ${count(perSecond)} rows/s, ${duration(Math.max(0, total - copied) / perSecond)} left`
}

const sentences: Readonly<Record<MoveProgress['step'], string>> = {
  counting: 'counting rows',
  restarting: 'the database was used since the last attempt: copying everything again',
  copying: 'copying',
  analyzing: 'updating query planner statistics',
  comparing: 'comparing both databases, table by table',
  'adding up': 'checking all sums',
}

const count = (n: number): string => Math.round(n).toLocaleString('en')

function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 120 ? `${whole} s` : `${Math.ceil(whole / 60)} min`
}

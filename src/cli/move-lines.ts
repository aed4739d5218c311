import type { MoveProgress } from '../storage/move-database.ts'
import type { CommandIo } from './toolbox.ts'

const drawEveryMs = 200
/** Elsewhere each line stays. */
const sayEveryMs = 10_000

/** How far a move is: on a terminal one line that is drawn over, elsewhere a line now and then; nothing when there is nowhere to say it. */
export class MoveLines {
  readonly #out: CommandIo['stdout'] | null
  readonly #monotonicMs: () => number
  /** When the first page had arrived, and how much there was then: the pace is told from there on. */
  #began: { atMs: number; rows: number } | null = null
  #saidMs = -Infinity
  #step: MoveProgress['step'] | null = null
  #isOpen = false

  constructor(out: CommandIo['stdout'] | null, monotonicMs: () => number) {
    this.#out = out
    this.#monotonicMs = monotonicMs
  }

  readonly show = (progress: MoveProgress): void => {
    if (this.#out === null) return
    const nowMs = this.#monotonicMs()
    if (progress.step === 'copying') this.#began ??= { atMs: nowMs, rows: progress.rows.copied }
    const everyMs = this.#out.isTTY === true ? drawEveryMs : sayEveryMs
    if (progress.step === this.#step && nowMs - this.#saidMs < everyMs) return
    this.#step = progress.step
    this.#saidMs = nowMs
    const line = moveLine(
      progress,
      this.#began === null ? null : { ...this.#began, tookMs: nowMs - this.#began.atMs },
    )
    if (this.#out.isTTY !== true) {
      this.#out.write(`${line}\n`)
      return
    }
    // Cut, so that it stays on one row and can be drawn over.
    this.#out.write(`\r${line.slice(0, (this.#out.columns ?? 80) - 1)}\u001b[K`)
    this.#isOpen = true
  }

  /** Leaves the line that was drawn last. */
  end(): void {
    if (this.#isOpen) this.#out?.write('\n')
    this.#isOpen = false
  }
}

/** Less says nothing about a pace. */
const leastMs = 1_000

/** One line for a person: what is done, how much of it, and since when it is known how fast it goes and how long it takes still. */
export function moveLine(
  { step, table, rows: { copied, total } }: MoveProgress,
  since: { rows: number; tookMs: number } | null,
): string {
  if (step !== 'copying' || table === null) return sentences[step]
  const share = total === 0 ? 100 : Math.min(100, Math.floor((copied / total) * 100))
  const done = `copying ${table}: ${count(copied)} of ${count(total)} rows (${share} %)`
  if (since === null || since.tookMs < leastMs || copied === since.rows) return done
  const perSecond = ((copied - since.rows) * 1_000) / since.tookMs
  return `${done}, ${count(perSecond)} rows/s, ${duration(Math.max(0, total - copied) / perSecond)} left`
}

const sentences: Readonly<Record<MoveProgress['step'], string>> = {
  counting: 'counting rows',
  'beginning anew': 'the database was used since the last try: everything is copied again',
  copying: 'copying',
  analyzing: 'taking statistics for the plans',
  comparing: 'comparing both sides, table by table',
  'adding up': 'adding up every sum',
}

const count = (n: number): string => Math.round(n).toLocaleString('en')

function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 120 ? `${whole} s` : `${Math.ceil(whole / 60)} min`
}

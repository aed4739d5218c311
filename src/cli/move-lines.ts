import type { MoveProgress } from '../storage/move-database.ts'
import type { CommandIo } from './toolbox.ts'

const drawEveryMs = 200
/** Elsewhere each line stays. */
const sayEveryMs = 10_000

/** How far a move is: on a terminal one line that is drawn over, elsewhere a line now and then; nothing when there is nowhere to say it. */
export class MoveLines {
  readonly #out: CommandIo['stdout'] | null
  readonly #monotonicMs: () => number
  readonly #startedMs: number
  #saidMs = -Infinity
  #step: MoveProgress['step'] | null = null
  #isOpen = false

  constructor(out: CommandIo['stdout'] | null, monotonicMs: () => number) {
    this.#out = out
    this.#monotonicMs = monotonicMs
    this.#startedMs = monotonicMs()
  }

  readonly show = (progress: MoveProgress): void => {
    if (this.#out === null) return
    const nowMs = this.#monotonicMs()
    const everyMs = this.#out.isTTY === true ? drawEveryMs : sayEveryMs
    if (progress.step === this.#step && nowMs - this.#saidMs < everyMs) return
    this.#step = progress.step
    this.#saidMs = nowMs
    const line = moveLine(progress, nowMs - this.#startedMs)
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

/** One line for a person: what is done, how much of it, how fast, and how long it takes still. */
export function moveLine({ step, table, rows }: MoveProgress, tookMs: number): string {
  if (step !== 'copying' || table === null) return sentences[step]
  const { copied, before, total } = rows
  const perSecond = tookMs === 0 ? 0 : ((copied - before) * 1_000) / tookMs
  const share = total === 0 ? 100 : Math.min(100, Math.floor((copied / total) * 100))
  const left = perSecond === 0 ? '' : `, ${duration(Math.max(0, total - copied) / perSecond)} left`
  return `copying ${table}: ${count(copied)} of ${count(total)} rows (${share} %), ${count(perSecond)} rows/s${left}`
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

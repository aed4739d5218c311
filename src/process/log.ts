import { type LogFn, pino, type Logger } from 'pino'
import { type Clock, minuteMs, systemClock } from '../runtime/clock.ts'

export type Log = Logger

/** Lines are gathered up to this size and written together: a write for each request would cost a tenth of its time. */
const gatherBytes = 8_192
const flushIntervalMs = 500

/**
 * The log: one JSON line an event. Texts, numbers, keys and secrets are never handed to it; the redaction below is the second wall
 * (P15). What fails for a lasting reason is said once, and then seldom.
 */
export function createLog(
  level: string,
  destination: { write(line: string): void },
  clock: Pick<Clock, 'monotonicMs' | 'schedule'> = systemClock,
): Log {
  const lasting = new LastingFaults(clock, (fields) =>
    log.warn(fields, 'a lasting fault was not met for two minutes'),
  )
  const options = {
    level,
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' },
    hooks: {
      logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn) {
        const said = lasting.unlessSaid(args)
        if (said !== null) method.apply(this, said)
      },
    },
  }
  const log = pino(options, destination)
  return log
}

/** Standard output, half a second late at most; what is gathered is written before the process exits. */
export function gatheredOutput(): { write(line: string): void } {
  const output = pino.destination({ fd: 1, sync: false, minLength: gatherBytes })
  setInterval(() => output.flush(), flushIntervalMs).unref()
  process.on('exit', () => output.flushSync())
  return output
}

/** At the top of an event only: deeper patterns cost every line a tenth of a request, and nothing hands over nested bodies. */
export const redactedPaths = [
  'text', 'to', 'from', 'recipient', 'sender', 'authorization', 'token', 'api_key', 'password', 'secret', 'body', 'headers',
] // prettier-ignore

/** How seldom the same is said of a fault that lasts: a log is read at its end, and should still have something else in it. */
export const sayAgainMs = 10 * minuteMs

/** Whatever lasts meets the sweeps of each minute at the latest: what was not met for this time is over, and what comes behind it is new. */
export const quietMs = 2 * minuteMs

interface Said {
  atMs: number
  leftOut: number
}

/**
 * Errors that say of themselves that they last (`lasts`), until somebody mends what is behind them, meet all that is tried, again and again: an outcome
 * each 250 ms, a claim each poll. Each line of such an error is written once, and after `sayAgainMs` again, with how many were left out meanwhile. When
 * none of a fault came for `quietMs` it is over: that is said with what was left out since, and the next one is said at once. A write that succeeds
 * does not end it, for a disk that is nearly full takes one and refuses the next.
 */
class LastingFaults {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'schedule'>
  readonly #over: (fields: { fault: string; left_out: number }) => void
  /** By fault, and by what was said; the words are those of the program, and few. */
  readonly #met = new Map<string, { lastMs: number; said: Map<string, Said> }>()

  constructor(
    clock: Pick<Clock, 'monotonicMs' | 'schedule'>,
    over: (fields: { fault: string; left_out: number }) => void,
  ) {
    this.#clock = clock
    this.#over = over
  }

  /** What is to be written, or null. */
  unlessSaid(args: Parameters<LogFn>): Parameters<LogFn> | null {
    const [fields, words] = args as unknown[]
    const { err, janitor } = (fields ?? {}) as { err?: { lasts?: boolean; fault?: string }; janitor?: string }
    if (err?.lasts !== true) return args
    const said = this.#meet(String(err.fault))
    const name = `${String(words)} ${janitor}`
    const nowMs = this.#clock.monotonicMs()
    const before = said.get(name)
    if (before !== undefined && nowMs - before.atMs < sayAgainMs) {
      before.leftOut += 1
      return null
    }
    said.set(name, { atMs: nowMs, leftOut: 0 })
    if (before === undefined || before.leftOut === 0) return args
    return [{ ...(fields as object), left_out: before.leftOut }, words] as unknown as Parameters<LogFn>
  }

  /** What was said of a fault that is met now. */
  #meet(fault: string): Map<string, Said> {
    const nowMs = this.#clock.monotonicMs()
    const met = this.#met.get(fault)
    if (met !== undefined) {
      met.lastMs = nowMs
      return met.said
    }
    const said = new Map<string, Said>()
    this.#met.set(fault, { lastMs: nowMs, said })
    this.#watch(fault, quietMs)
    return said
  }

  #watch(fault: string, delayMs: number): void {
    this.#clock.schedule(delayMs, () => {
      const { lastMs, said } = this.#met.get(fault) as { lastMs: number; said: Map<string, Said> }
      const leftMs = lastMs + quietMs - this.#clock.monotonicMs()
      if (leftMs > 0) return this.#watch(fault, leftMs)
      this.#met.delete(fault)
      this.#over({ fault, left_out: [...said.values()].reduce((sum, { leftOut }) => sum + leftOut, 0) })
    })
  }
}

import { type LogFn, pino, type Logger } from 'pino'
import { type Clock, minuteMs, systemClock } from './clock.ts'

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
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
): Log {
  const lasting = new LastingFaults(clock)
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
  return pino(options, destination)
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

/**
 * Errors that say of themselves that they last (`lasts`), until somebody mends what is behind them, meet all that is tried, again and again: an outcome
 * each 250 ms, a claim each poll. Each line of such an error is written once, and after `sayAgainMs` again, with how many were left out meanwhile.
 */
class LastingFaults {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** By what was said; the words are those of the program, and few. */
  readonly #said = new Map<string, { atMs: number; leftOut: number }>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** What is to be written, or null. */
  unlessSaid(args: Parameters<LogFn>): Parameters<LogFn> | null {
    const [fields, words] = args as unknown[]
    const { err, janitor } = (fields ?? {}) as { err?: { lasts?: boolean; fault?: string }; janitor?: string }
    if (err?.lasts !== true) return args
    const name = `${err.fault} ${String(words)} ${janitor}`
    const nowMs = this.#clock.monotonicMs()
    const before = this.#said.get(name)
    if (before !== undefined && nowMs - before.atMs < sayAgainMs) {
      before.leftOut += 1
      return null
    }
    this.#said.set(name, { atMs: nowMs, leftOut: 0 })
    if (before === undefined || before.leftOut === 0) return args
    return [{ ...(fields as object), left_out: before.leftOut }, words] as unknown as Parameters<LogFn>
  }
}

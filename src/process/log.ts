import { type LogFn, pino, type Logger } from 'pino'
import { type Clock, minuteMs, systemClock } from '../runtime/clock.ts'

export type Log = Logger

/**
 * Lines are buffered up to this size and written together: a write per request would cost a tenth of its
 * time.
 */
const gatherBytes = 8_192
const flushIntervalMs = 500

/**
 * Creates the log: one JSON line per event. Callers never log texts, numbers, keys or secrets; the redaction
 * below is the second line of defence (P15). A fault with a lasting cause is logged once, and then rarely.
 */
export function createLog(
  level: string,
  destination: { write(line: string): void },
  clock: Pick<Clock, 'monotonicMs' | 'schedule'> = systemClock,
): Log {
  const lasting = new LastingFaults(clock, (fields) =>
    log.warn(fields, 'a lasting fault has not occurred for two minutes'),
  )
  const options = {
    level,
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' },
    hooks: {
      logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn) {
        const due = lasting.lineDue(args)
        if (due !== null) method.apply(this, due)
      },
    },
  }
  const log = pino(options, destination)
  return log
}

/** Returns standard output, up to half a second late. The buffer is written before the process exits. */
export function gatheredOutput(): { write(line: string): void } {
  const output = pino.destination({ fd: 1, sync: false, minLength: gatherBytes })
  setInterval(() => output.flush(), flushIntervalMs).unref()
  process.on('exit', () => output.flushSync())
  return output
}

/**
 * Fields to redact, only at the top level of a line: deeper patterns cost every line a tenth of a request,
 * and no caller logs nested bodies.
 */
export const redactedPaths = [
  'text', 'to', 'from', 'recipient', 'sender', 'authorization', 'token', 'api_key', 'password', 'secret', 'body', 'headers',
] // prettier-ignore

/**
 * Minimum time between two lines about the same lasting fault: a log is read at its end, which should still
 * show other events.
 */
export const sayAgainMs = 10 * minuteMs

/**
 * A lasting fault occurs in the sweeps of each minute at the latest. One that has not occurred for this long
 * is over; a later one is new.
 */
export const quietMs = 2 * minuteMs

interface LoggedLine {
  atMs: number
  leftOut: number
}

/**
 * Limits the lines of errors that last until someone fixes their cause (`lasts`). Such a fault hits every
 * operation repeatedly: an outcome each 250 ms, a claim each poll. Each line is written once, and again after
 * `sayAgainMs`, with the number of lines that were omitted meanwhile. A fault that has not occurred for
 * `quietMs` is over: that is logged with the number omitted since, and the next one is logged immediately. A
 * successful write does not end it: a disk that is nearly full accepts one write and rejects the next.
 */
class LastingFaults {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'schedule'>
  readonly #over: (fields: { fault: string; left_out: number }) => void
  /** By fault, then by line. Lines are fixed texts of the code, and few. */
  readonly #met = new Map<string, { lastMs: number; lines: Map<string, LoggedLine> }>()

  constructor(
    clock: Pick<Clock, 'monotonicMs' | 'schedule'>,
    over: (fields: { fault: string; left_out: number }) => void,
  ) {
    this.#clock = clock
    this.#over = over
  }

  /** Returns what to write, or null. */
  lineDue(args: Parameters<LogFn>): Parameters<LogFn> | null {
    const [fields, message] = args as unknown[]
    const { err, sweeper } = (fields ?? {}) as { err?: { lasts?: boolean; fault?: string }; sweeper?: string }
    if (err?.lasts !== true) return args
    const lines = this.#meet(String(err.fault))
    const name = `${String(message)} ${sweeper}`
    const nowMs = this.#clock.monotonicMs()
    const before = lines.get(name)
    if (before !== undefined && nowMs - before.atMs < sayAgainMs) {
      before.leftOut += 1
      return null
    }
    lines.set(name, { atMs: nowMs, leftOut: 0 })
    if (before === undefined || before.leftOut === 0) return args
    return [{ ...(fields as object), left_out: before.leftOut }, message] as unknown as Parameters<LogFn>
  }

  /** Records that a fault occurred. Returns its lines. */
  #meet(fault: string): Map<string, LoggedLine> {
    const nowMs = this.#clock.monotonicMs()
    const met = this.#met.get(fault)
    if (met !== undefined) {
      met.lastMs = nowMs
      return met.lines
    }
    const lines = new Map<string, LoggedLine>()
    this.#met.set(fault, { lastMs: nowMs, lines })
    this.#watch(fault, quietMs)
    return lines
  }

  #watch(fault: string, delayMs: number): void {
    this.#clock.schedule(delayMs, () => {
      const { lastMs, lines } = this.#met.get(fault) as { lastMs: number; lines: Map<string, LoggedLine> }
      const leftMs = lastMs + quietMs - this.#clock.monotonicMs()
      if (leftMs > 0) return this.#watch(fault, leftMs)
      this.#met.delete(fault)
      this.#over({ fault, left_out: [...lines.values()].reduce((sum, { leftOut }) => sum + leftOut, 0) })
    })
  }
}

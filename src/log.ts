import { pino, type Logger } from 'pino'

export type Log = Logger

/** Lines are gathered up to this size and written together: a write for each request would cost a tenth of its time. */
const gatherBytes = 8_192
const flushIntervalMs = 500

/**
 * The log: one JSON line an event. Texts, numbers, keys and secrets are never handed to it; the redaction below is the second wall
 * (P15).
 */
export function createLog(level: string, destination: { write(line: string): void }): Log {
  const options = {
    level,
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' },
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

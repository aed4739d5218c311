import { pino, type Logger } from 'pino'

export type Log = Logger

/**
 * The log: one JSON line an event on standard output. Texts, numbers, keys and secrets are never handed to it; the redaction below
 * is the second wall (P15).
 */
export function createLog(level: string, destination?: { write(line: string): void }): Log {
  const options = {
    level,
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

const privateNames = ['text', 'to', 'from', 'recipient', 'sender', 'authorization', 'token', 'api_key', 'password', 'secret', 'body']
const redactedPaths = privateNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

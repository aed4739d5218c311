/** What a link counts of its wire, for whoever watches it. */
export interface LinkCounters {
  /** A part was answered with this status, or `no_answer`, so long after it was submitted. Statuses are few: what has no name is `other`. */
  answered(status: string, seconds: number): void
  /** A session was lost that was bound, and that nobody here had ended. */
  sessionLost(): void
  /** Something came that could not be read, or not as a whole. `form` is what it looks like, without a number, a text or a name of anybody. */
  unread(kind: 'word' | 'receipt' | 'rest' | 'pdu', form: string): void
}

/** What the links of a device hand on to the next one, for as long as the process runs. */
export interface LastSession {
  /** When the last session with the peer, or try for one, was over, by the monotonic clock; null before there was any. */
  endedMs: number | null
}

/** Time, ids and randomness for connectors. */
export interface ConnectorTools {
  counters?: LinkCounters
  /** Kept up by the link, for peers that ask for time between two sessions. Left out: nothing is handed on. */
  lastSession?: LastSession
  /** False once another node may run the device: a link asks before each part of a message, and writes none then. Left out: always. */
  mayWrite?(): boolean
  /** Wall clock in milliseconds since 1970. May jump: for what is written down, never for a duration. */
  now(): number
  /** Monotonic milliseconds; only differences mean anything. */
  monotonicMs(): number
  schedule(delayMs: number, task: () => void): () => void
  random(): number
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, detail?: Record<string, unknown>): void
}

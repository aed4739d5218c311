/** Counters for the traffic of a link, for the metrics. */
export interface LinkCounters {
  /**
   * A part got a response with this status, or `no_answer`, this long after it was submitted. Statuses are
   * few: one without a name is `other`.
   */
  answered(status: string, seconds: number): void
  /** A bound session was lost that this side had not closed. */
  sessionLost(): void
  /** Something could not be parsed, or not completely. `form` describes its shape, without any number, text or name. */
  unparsed(kind: 'word' | 'receipt' | 'rest' | 'pdu', form: string): void
}

/** What the links of a device pass on to the next one, as long as the process runs. */
export interface LastSession {
  /** When the last session with the peer, or attempt at one, ended, by the monotonic clock; null before the first. */
  endedMs: number | null
}

/** Time, IDs and randomness for connectors. */
export interface ConnectorTools {
  counters?: LinkCounters
  /** Maintained by the link, for peers that require a pause between two sessions. Omitted: nothing is passed on. */
  lastSession?: LastSession
  /**
   * False once another node may run the device: a link checks before each part of a message, and then writes
   * none. Omitted: always true.
   */
  mayWrite?(): boolean
  /**
   * Marks of the device in the database, the same for all nodes and starts: `mark` is flushed when it resolves,
   * with false where the mark was there before. Omitted: none can be stored.
   */
  marks?: { mark(name: string): Promise<boolean>; unmark(name: string): Promise<void> }
  /** Wall clock in milliseconds since 1970. May jump: for stored times, never for durations. */
  now(): number
  /** Monotonic milliseconds; only differences are meaningful. */
  monotonicMs(): number
  schedule(delayMs: number, task: () => void): () => void
  random(): number
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, detail?: Record<string, unknown>): void
}

/** The result of a device test. */
export interface Trial {
  ok: boolean
  /** One sentence. */
  summary: string
  /** What to do about it; null when it is fine. */
  remedy: string | null
}

/** What a device in this network reports about itself. */
export interface LocalDevice {
  /** Settings that its device must have, in addition to address and login. */
  settings: Readonly<Record<string, string>>
  /** `<manufacturer>/<product>` */
  name: string
  appVersion: string
  /** Masked. Null: unknown. */
  sims:
    | readonly { slot: number; number: string | null; carrier: string | null; iccid: string | null }[]
    | null
}

/** For a kind whose devices can be visited in this network. */
export interface LocalDevices {
  /** Returns the version of the app at the address of these settings; sends no secret. Throws as `look` does. */
  greet(
    settings: Readonly<Record<string, string>>,
    tools: Pick<ConnectorTools, 'schedule'>,
  ): Promise<{ appVersion: string }>
  /** Asks a device at the address and with the login of these settings and secrets. Throws with the reason, a key of `KindFacts.remedies`, as its message. */
  look(
    given: { settings: Readonly<Record<string, string>>; secrets: Readonly<Record<string, string>> },
    tools: Pick<ConnectorTools, 'schedule'>,
  ): Promise<LocalDevice>
  /** Returns those of the addresses, `host:port`, where a device answers, without any secret. */
  find(
    addresses: readonly string[],
    tools: Pick<ConnectorTools, 'schedule'>,
  ): Promise<{ address: string; appVersion: string }[]>
  /** Where its devices listen unless they are configured otherwise. */
  defaultPort: number
}

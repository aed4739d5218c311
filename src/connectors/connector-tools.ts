import type { Outgoing } from '../outgoing/create-outgoing.ts'

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

/** Where the provider of a device calls this server. */
export interface CallbackUrls {
  status: string
  inbound: string
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
  /** Passes to the link once more the receipts that are still expected, for one that had no room for all. Omitted: it cannot be. */
  resumeAgain?(): Promise<void>
  /** How hosts are reached that others name. Omitted: public addresses only. */
  outgoing?: Outgoing
  /** Returns where the device's provider calls about an attempt; null without a public address. Omitted: nowhere. */
  callbackUrls?(attemptId: string, generation: number): CallbackUrls | null
  /** Another node may get these calls: that none came here shows nothing. Omitted: all come here. */
  callsGoElsewhere?: boolean
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

/** What a device at USB says about itself; null where it does not say it. */
export interface UsbFacts {
  /** Four hexadecimal digits. */
  vendorId: string
  productId: string
  maker: string | null
  product: string | null
}

/** A port of this machine, as its files describe it: nothing was opened for that. */
export interface FoundPort {
  /** For the setting of a device: the path that stays the same after replugging, if there is one. */
  path: string
  /** What stays the same: the name of the device, or the socket that it is in; null where nothing does. */
  steadyBy: 'name' | 'socket' | null
  /** Its path at the moment, such as /dev/ttyUSB2. */
  node: string
  driver: string | null
  usb: (UsbFacts & { interfaceNumber: number | null }) | null
  /** Ports of one device have the same; unique otherwise. */
  deviceKey: string
  /** Made by a maker of such devices: it can be asked without harm. */
  isLikely: boolean
  heldBy: readonly { pid: number; program: string }[]
  /** Why it cannot be used: a key of `KindFacts.remedies`, and a sentence. */
  faults: readonly { reason: string; detail: string }[]
}

export interface FoundPorts {
  ports: readonly FoundPort[]
  /** Devices of makers of such devices that have no port, and what to do about it. */
  withoutPort: readonly (UsbFacts & { remedy: string })[]
  /** False when this user may not know which ports programs of other users have open. */
  knowsHolders: boolean
}

/** What the device at a port says about itself; nothing is sent, stored or unlocked for that. */
export interface ProbedPort {
  port: FoundPort
  /** Why it cannot be used: a key of `KindFacts.remedies`. Null: it can. */
  fault: string | null
  maker: string | null
  model: string | null
  /** The last four digits of its serial number. */
  serialEnd: string | null
  operator: string | null
  signalDbm: number | null
  registered: boolean | null
}

/** For a kind whose devices are at ports of this machine. */
export interface PortDevices {
  list(): Promise<FoundPorts>
  /** Asks the devices at these ports who they are; returns one result for each device, in their order. */
  probe(
    ports: readonly FoundPort[],
    tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>,
  ): Promise<ProbedPort[]>
  /** Returns what keeps a server that runs as this user from using the port at this path; opens nothing. */
  examine(given: { path: string; uid: number }): Promise<FoundPort['faults']>
  /** Returns the text of a file of udev rules that keep other programs off the devices at these ports. */
  udevRules(ports: readonly FoundPort[]): string
}

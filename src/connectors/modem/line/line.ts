/** An open connection to a modem. */
export interface Line {
  /**
   * Writes octets; settles when the system has sent all that it was given, and the next write cannot overtake it.
   * Rejects on a line that has closed: nothing of it may be counted on.
   */
  write(octets: Uint8Array): Promise<void>
  /** Closes the line; `closed` follows, unless it came before. */
  close(): void
}

/** What a line reports. Nothing follows `closed`, which comes exactly once. */
export interface LineEvents {
  data(octets: Uint8Array): void
  closed(fault: LineFault): void
}

/** Why a line could not be opened, or was closed: a reason for the state of a device, and the words of the system. */
export class LineFault extends Error {
  readonly reason: LineReason

  constructor(reason: LineReason, detail: string) {
    super(detail)
    this.reason = reason
  }
}

export type LineReason = 'port_missing' | 'port_denied' | 'port_in_use' | 'port_failed' | 'no_serialport'

/** Opens a line; rejects with a LineFault. */
export type OpenLine = (events: LineEvents) => Promise<Line>

/**
 * Broadcasts between the nodes of a database. They arrive within milliseconds but are not reliable: the next
 * poll compensates for a lost one.
 */
export interface Signals {
  /** True while broadcasts are sent and received. */
  readonly isListening: boolean
  /** Sends to all nodes, including this one. Resolves to whether it was sent; `false` may be wrong. */
  send(payload: string): Promise<boolean>
  /** Calls `on` from now on. */
  listen(on: SignalsListener): Promise<void>
  close(): Promise<void>
}

export interface SignalsListener {
  heard(payload: string): void
  /** Called after every new connection: broadcasts may have been missed. */
  missed(): void
  /** Called when the connection is lost: nothing is received until `missed` is called. */
  lost(): void
}

/** Maximum octets of a broadcast: PostgreSQL accepts 7,999. */
export const maxPayloadOctets = 7_900

import type { RequestShape } from '../load-job.ts'

/** What happens to messages: they wait, because nothing takes them, or they go to an SMSC that sends a receipt for each at once. */
export type Mode = 'accept' | 'life'

/** A program that accepts and sends SMS, this one or another, with what is known of it before it starts. */
export interface Peer {
  /** Of its column. */
  name: string
  version: string
  /** What of a message is kept where when its sender has the answer. */
  durability: string
  /** Whether it sends over SMPP; another one only accepts. */
  hasLives: boolean
  /** Starts it on a fresh folder or database. */
  start(mode: Mode): Promise<RunningPeer>
}

export interface RunningPeer {
  /** From the first spawn until it answers over HTTP. */
  readyMs: number
  /** Its processes, with that of its database. */
  pids: readonly number[]
  port: number
  /** For a request of `send` of the load generator. */
  token: string
  shapeOf(recipients: number): RequestShape
  /** Waits until each of the messages since the start has its receipt; gives when the last had it, in milliseconds since 1970. */
  settled(messages: number): Promise<number>
  stop(): Promise<void>
}

/** A peer that cannot be measured here. */
export interface MissingPeer {
  name: string
  /** What to install, as a sentence. */
  missing: string
}

export const isMissing = (peer: Peer | MissingPeer): peer is MissingPeer => 'missing' in peer

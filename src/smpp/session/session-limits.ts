/** Bounds and times of a session; all have a default. */
export interface SessionLimits {
  /** Requests on the wire without an answer. Throughput is window / round trip. */
  window: number
  /** Requests that wait for room in the window; more are turned away. */
  maxWaiting: number
  /** How long one may wait for room before it is turned away. */
  windowWaitMs: number
  /** From the first packet to a connection, the handshake of TLS included. */
  connectTimeoutMs: number
  /** From bind to its answer: the standard's session_init_timer, from our side. */
  bindTimeoutMs: number
  /** From a request that was written to its answer: response_timer. */
  responseTimeoutMs: number
  /** How many answers that did not come in time are still waited for, so that they can repair what is known. */
  maxLate: number
  /** After how much silence of the peer we ask whether it lives: enquire_link_timer. */
  enquireLinkMs: number
  /** How long it may take to say so. */
  enquireLinkTimeoutMs: number
  /** After how long without any request but enquire_link we unbind; 0 is never. */
  inactivityMs: number
  /** How long a write, or a PDU that has begun, may take without an end. */
  stallMs: number
  /** How long the store has for a message from the peer; then the peer is asked to send it again. */
  deliverTimeoutMs: number
  /** Messages from the peer without our answer; above, nothing more is read. */
  maxUnanswered: number
  /** A longer PDU loses the framing. */
  maxPduBytes: number
  /** Octets for a peer that does not read; above, we neither read nor submit. */
  maxUnsentBytes: number
  /** How long answers are waited for before a session is unbound. */
  drainMs: number
  /** From unbind to its answer. */
  unbindTimeoutMs: number
  /** From the end of our half of the connection to the end of the other. */
  closeMs: number
}

/**
 * The defaults. A window of 10 is what providers bear; an answer after 30 s is lost at every SMSC that we know of; load balancers drop
 * connections after a minute of silence or more; and SMSCs give up on an answer to deliver_sm after 10 s or more, so that
 * ours, that the store is down, must come before.
 */
export const defaultSessionLimits: Readonly<SessionLimits> = {
  window: 10,
  // A window of 1,000 messages, the widest, each of ten parts: what was handed over within the window has a place.
  maxWaiting: 10_000,
  windowWaitMs: 30_000,
  connectTimeoutMs: 10_000,
  bindTimeoutMs: 10_000,
  responseTimeoutMs: 30_000,
  maxLate: 10_000,
  enquireLinkMs: 30_000,
  enquireLinkTimeoutMs: 10_000,
  inactivityMs: 0,
  stallMs: 30_000,
  deliverTimeoutMs: 8_000,
  maxUnanswered: 100,
  // A message_payload of 64 KiB with everything else that a PDU may have.
  maxPduBytes: 70_000,
  maxUnsentBytes: 262_144,
  drainMs: 10_000,
  unbindTimeoutMs: 5_000,
  closeMs: 2_000,
}

/** Limits and timeouts of a session; all have a default. */
export interface SessionLimits {
  /** Requests in flight. Throughput is window / round trip. */
  window: number
  /** Requests that wait for room in the window; more are rejected. */
  maxWaiting: number
  /** How long one may wait for room before it is rejected. */
  windowWaitMs: number
  /** From the first packet to a connection, the TLS handshake included. */
  connectTimeoutMs: number
  /** From bind to its response: the standard's session_init_timer, on our side. */
  bindTimeoutMs: number
  /** From a written request to its response: response_timer. */
  responseTimeoutMs: number
  /** How many overdue responses are still awaited, so that they can correct unknown outcomes. */
  maxLate: number
  /** Silence of the peer before an enquire_link: enquire_link_timer. */
  enquireLinkMs: number
  /** How long its response may take. */
  enquireLinkTimeoutMs: number
  /** Time without any request except enquire_link before an unbind; 0 means never. */
  inactivityMs: number
  /** How long a write, or an incomplete PDU, may take. */
  stallMs: number
  /** How long storing a message from the peer may take; then the peer is asked to send it again. */
  deliverTimeoutMs: number
  /** Messages from the peer without our response; above this, nothing more is read. */
  maxUnanswered: number
  /** A longer PDU loses the framing. */
  maxPduBytes: number
  /** Octets for a peer that does not read; above this, neither reads nor submits continue. */
  maxUnsentBytes: number
  /** How long responses are awaited before a session is unbound. */
  drainMs: number
  /** From unbind to its response. */
  unbindTimeoutMs: number
  /** From the end of our half of the connection to the end of the other. */
  closeMs: number
}

/**
 * The defaults. A window of 10 is what providers accept. A response after 30 s is lost at every known SMSC.
 * Load balancers drop connections after a minute of silence or more. SMSCs stop waiting for a response to
 * deliver_sm after 10 s or more, so ours, that the store is down, must come before.
 */
export const defaultSessionLimits: Readonly<SessionLimits> = {
  window: 10,
  // A window of 1,000 messages, the widest, each of ten parts: what was submitted within the window has a place.
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

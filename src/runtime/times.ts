/**
 * Timings by which failures are detected. They are no settings, but an input of `createApp`: tests shorten
 * all of them alike, because the guarantees follow from their proportions. All nodes of a database must use
 * the same. How long a report of a device is trusted is not among them: it is part of the API.
 */
export interface Times {
  /** Interval of the heartbeats of a node. */
  heartbeatMs: number
  /**
   * A node without a heartbeat for this long is declared dead, after the time of a lease: other nodes take
   * over its work.
   */
  silenceMs: number
  /**
   * A node whose heartbeats are this late stops doing what one node does for all, before the others declare
   * it dead.
   */
  leadsForMs: number
  /**
   * Time in which the open attempts of a node that was replaced by a new start of the same server are left to
   * that start, which may know more about them from its log: it starts within seconds.
   */
  followerFirstMs: number
  /**
   * Interval of the search for attempts of dead nodes: their open ones are settled within 60 s of the last
   * heartbeat (P13).
   */
  rescueMs: number
  /**
   * With a check for free leases every few seconds, the links of a dead node run elsewhere within 60 s (P13).
   */
  leaseMs: number
  /** Two renewals fall due before the reserve begins; one may fail. */
  leaseRenewalMs: number
  /** A failed renewal is retried before the next one is due. */
  leaseRetryMs: number
  /** With less than this left nothing is submitted and the link is stopped: another node may run it soon. */
  leaseReserveMs: number
  /** Interval at which a node checks the lease of a link that another node runs. */
  leaseLookMs: number
  /** Interval at which a node reports its devices at least, changed or not. */
  deviceReportMs: number
  /**
   * Lease of a webhook delivery beyond the time of an attempt: time to store its outcome. Deliveries of a
   * killed server are due again after that.
   */
  deliveryMarginMs: number
}

export const usualTimes: Times = {
  heartbeatMs: 5_000,
  silenceMs: 45_000,
  leadsForMs: 35_000,
  followerFirstMs: 10_000,
  rescueMs: 5_000,
  leaseMs: 45_000,
  leaseRenewalMs: 15_000,
  leaseRetryMs: 3_000,
  leaseReserveMs: 5_000,
  leaseLookMs: 5_000,
  deviceReportMs: 10_000,
  deliveryMarginMs: 10_000,
}

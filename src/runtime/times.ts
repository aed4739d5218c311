/**
 * How soon the program notices that something is gone. Nothing that an operator sets, but an input of `createApp`: tests shorten all of it alike, for
 * what holds follows from the proportions. All nodes of a database must have the same. How long a report of a device is believed is none of these: it
 * is told in the API.
 */
export interface Times {
  /** How often a node says that it lives. */
  heartbeatMs: number
  /** A node that has said nothing for so long counts as dead, as long as a lease lasts: others take over what it had. */
  silenceMs: number
  /** Who is so late with its heartbeats leaves what one node does to others, before they think that it is dead. */
  leadsForMs: number
  /** How long what was followed is left to its follower, which may know more of it: it starts within seconds. */
  followerFirstMs: number
  /** How often the attempts of dead nodes are looked for: what they had open is settled within 60 s of their last word (P13). */
  rescueMs: number
  /** With a look for free leases each few seconds, the links of a node that died run elsewhere within 60 s (P13). */
  leaseMs: number
  /** Two renewals fall due before the reserve begins; one may fail. */
  leaseRenewalMs: number
  /** A renewal that failed is tried again before the next is due. */
  leaseRetryMs: number
  /** With less than this left nothing is submitted and the link is stopped: another node may run it soon. */
  leaseReserveMs: number
  /** How soon a link is looked at again that another node runs. */
  leaseLookMs: number
  /** A node reports its devices at least this often, changed or not. */
  deviceReportMs: number
  /** What a webhook delivery is lent for beyond the time of a try: to store its outcome. One of a killed server is due again then. */
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

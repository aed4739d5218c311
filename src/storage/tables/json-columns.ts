declare const content: unique symbol

/** A column of JSON text, and what it holds. */
export type JsonText<T> = string & { readonly [content]?: T }

/** Reads a column. Only this program writes it, so its shape is that of its table. */
export const readJson = <T>(text: JsonText<T>): T => JSON.parse(text) as T

/** Writes a column. */
export const writeJson = <T>(value: T): JsonText<T> => JSON.stringify(value)

/**
 * One of `phones.sims`, which is null where the app did not report them. Number, carrier and ICCID are masked by the
 * app, except for the last four characters.
 */
export interface SimOfPhone {
  slot: number
  number: string | null
  carrier: string | null
  iccid: string | null
}

/** One of `attempts.part_reports`: what receipts told of one part. */
export interface PartReport {
  /** Network IDs that the receipt may have meant: its readings. */
  ids: readonly string[]
  state: 'lost' | 'undelivered' | 'delivered' | 'retracted'
  reason: { code: string; networkCode: string | null } | null
  /** The network sends one receipt for all parts. */
  isForAll?: true
}

/** `attempts.plan_counts`: the plans that count an attempt, so that exactly that can be returned to them. */
export interface PlanCounts {
  /** The key of its number in `sim_numbers`; null once the number is erased. */
  number: string | null
  /** SIMs with the day on which each counted it. */
  on: readonly (readonly [sim: number, day: number])[]
}

/** One of `webhook_endpoints.older_secrets`: a replaced secret that still signs until it expires. */
export interface FormerSecret {
  /** Sealed. */
  secret: string
  until: number
}

/** `nodes.certificate`: the certificate with which phones connect to a node. */
export interface NodeCertificate {
  source: 'own' | 'ca'
  /** The IPv4 address that it is for. */
  address: string
  untilMs: number
}

/** How a phone came at its last contact that may have been by the address of phones. */
export interface PhoneContact {
  atMs: number
  /** Scheme, host and port of the address of phones then. */
  address: string
  /** The phone called this host and port; false where a proxy or a cable hides what it called. */
  isCertain: boolean
}

/**
 * `device_reports.body`: what the node that runs a device last knew about it. Groups that a device cannot report
 * are null. Times are milliseconds.
 */
export interface DeviceReportBody {
  link: string
  lastSeenAt: number | null
  /** Omitted by devices that do not call this server, and by nodes of earlier versions. */
  contact?: PhoneContact
  nextContactExpectedBy: number | null
  appVersion: string | null
  battery: { percent: number; charging: boolean; at: number } | null
  network: {
    registered: boolean | null
    roaming: boolean | null
    operator: string | null
    signalDbm: number | null
    transport: string | null
    at: number
  } | null
  sims: readonly { slot: number; number: string | null; carrier: string | null }[]
  capabilities: { deliveryReports: boolean; maxParts: number; alphanumericSender: boolean } | null
  /** Its rate limit, over all its SIMs; `resetsAt` is null while no window is open. Null for a device without one. */
  throughput: {
    partsPerWindow: number
    windowSeconds: number
    remaining: number
    resetsAt: number | null
    /** The rate limit of each SIM, if there are several. */
    bySim?: readonly { slot: number; partsPerWindow: number; remaining: number; resetsAt: number | null }[]
  } | null
  /**
   * Whether the node distrusts it, by the outcomes of its submissions; omitted by nodes of earlier versions.
   * What a device reports about itself does not count.
   */
  isDoubted?: boolean
  /** Its submissions in flight, of all accounts. */
  inFlight: number
  lastSentAt: number | null
  lastError: string | null
  /** What the account behind it has there; omitted while unknown. */
  balance?: { amount: number; currency: string | null; at: number }
  /** The credit of its prepaid SIM; omitted while unknown. */
  credit?: { amount: number; at: number }
}

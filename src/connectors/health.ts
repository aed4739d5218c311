/** Whether a device of this health carries messages. */
export const isWorking = <H extends Pick<Health, 'status'>>(
  health: H,
): health is H & { status: 'online' | 'degraded' } =>
  health.status === 'online' || health.status === 'degraded'

/** What a device reports about itself. Groups that it cannot report are null. */
export interface Health {
  status: 'pending' | 'online' | 'degraded' | 'offline'
  /** Machine-readable, worst first: not_registered, no_sim, contact_late, battery_low, repeated_failures, … */
  reasons: readonly string[]
  /** Nothing that it has could be sent now, such as by a phone without a SIM: what others can carry is not for it. */
  cannotSend?: true
  link: 'stream' | 'poll' | 'push' | 'visit' | 'session' | 'none'
  lastSeenAt: number | null
  /** Of a device that calls this server: its last contact that may have been by the address that devices get. */
  contact?: { atMs: number; address: string; isCertain: boolean }
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
  lastError: string | null
  /** What the account behind it has there, by its last answer. Omitted while unknown. */
  balance?: { amount: number; currency: string | null; at: number }
  /** Of a prepaid SIM, in the unit of its network. Omitted while unknown. */
  credit?: { amount: number; at: number }
}

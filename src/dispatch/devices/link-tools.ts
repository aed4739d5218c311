import type { ConnectorTools, LastSession, LinkCounters } from '../../connectors/connector-tools.ts'
import type { Outgoing } from '../../outgoing/create-outgoing.ts'
import type { Log } from '../../process/log.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { LinkLeases } from './link-leases.ts'

export interface LinkToolsDeps {
  clock: Clock
  log: Log
  random: () => number
  /** Counters of its link's traffic. */
  countersOf?: (deviceId: string) => LinkCounters
  /** Its marks in the database. */
  marksOf?: (deviceId: string) => NonNullable<ConnectorTools['marks']>
  /** What one link passes on to the next, also when the device is disabled in between. */
  lastSessionOf?: (deviceId: string) => LastSession
  /** How links reach hosts that others name. */
  outgoing?: Outgoing
  /** Where the provider of a device calls about an attempt. */
  callbackUrlsOf?: (deviceId: string) => NonNullable<ConnectorTools['callbackUrls']>
  /** Providers may call other nodes. */
  callsGoElsewhere?: boolean
  /** Links run only under these leases. Any node may serve a device that fetches by itself. */
  leases?: LinkLeases
}

/** Returns what the connector of a device is given. */
export const toolsFor = (deps: LinkToolsDeps, deviceId: string): ConnectorTools => {
  const { clock, log, random, countersOf, lastSessionOf, outgoing, callbackUrlsOf, leases, marksOf } = deps
  return {
    ...(countersOf === undefined ? {} : { counters: countersOf(deviceId) }),
    ...(lastSessionOf === undefined ? {} : { lastSession: lastSessionOf(deviceId) }),
    ...(outgoing === undefined ? {} : { outgoing }),
    ...(callbackUrlsOf === undefined ? {} : { callbackUrls: callbackUrlsOf(deviceId) }),
    ...(deps.callsGoElsewhere === true && { callsGoElsewhere: true }),
    ...(leases === undefined ? {} : { mayWrite: () => leases.tokenOf(deviceId) !== null }),
    ...(marksOf === undefined ? {} : { marks: marksOf(deviceId) }),
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    schedule: (delayMs, task) => clock.schedule(delayMs, task),
    random,
    log: (level, message, detail = {}) => log[level]({ ...detail, device_id: deviceId }, message),
  }
}

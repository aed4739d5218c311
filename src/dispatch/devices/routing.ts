import { pickUpSecondsOf, type StandingPace, standingPaces } from '../../devices/status/device-status-wait.ts'
import { isInWay, usualWay, type Way } from '../../devices/routes/way.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { phoneKinds, realKinds, simulatedKinds } from '../../connectors/registry.ts'
import { canCarry, isOwnCarrier } from '../../devices/core/carrying.ts'
import type { DevicePool } from './device-pool.ts'
import type { RoutedDevice } from './routed-device.ts'

/** What the devices that could carry a send can do together; computed from memory. */
export interface Routing {
  /** Whether there is such a device. */
  enabled: boolean
  online: boolean
  simulated: boolean
  phonesOnly: boolean
  maxParts: number
  /** Whether shared devices are among them. */
  shared: boolean
  /**
   * The rate limits of the account's own working devices, as /status uses them. Null when the rate is
   * unknown: no device works, or one has no limit. Shared devices serve others too, so they do not count.
   */
  paces: readonly StandingPace[] | null
  /** Seconds until the first working device, shared ones included, asks for a message: 0 if one is woken. */
  pickUpSeconds: number
}

/**
 * Returns what the devices of an account in a mode can do, of those that can use `sender` (all when it is
 * null), and whose encoding can be chosen if an encoding was forced. `own`: only of its own that can send for real,
 * without simulators and links that only receive. `way`: only those that it names.
 */
export function routingFor(
  pool: Pick<DevicePool, 'servingAccount'>,
  accountId: string,
  mode: Mode,
  sender: string | null,
  encodingForced = false,
  which: 'all' | 'own' = 'all',
  way: Way = usualWay,
): Routing {
  const devices = pool
    .servingAccount(accountId, mode)
    .filter(({ facts: { senders }, capabilities: { encodingChoice: choosesEncoding, ...capabilities } }) =>
      canCarry({ ...capabilities, senders, choosesEncoding }, { sender, encodingForced }),
    )
    .filter(
      ({ facts, capabilities }) =>
        isInWay(way, facts) &&
        (which === 'all' || (isOwnCarrier(facts, realKinds) && capabilities.receivesOnly !== true)),
    )
  const working = devices.filter(({ isWorking }) => isWorking)
  return {
    enabled: devices.length > 0,
    online: working.length > 0,
    simulated: devices.some((device) => simulatedKinds.includes(device.facts.kind)),
    phonesOnly: devices.length > 0 && devices.every((device) => phoneKinds.includes(device.facts.kind)),
    maxParts: devices.reduce((most, device) => Math.max(most, device.capabilities.maxParts), 0),
    shared: devices.some(({ facts }) => facts.accountId === null),
    paces: pacesOf(working.filter(({ facts }) => facts.accountId !== null)),
    pickUpSeconds: working.length === 0 ? 0 : Math.min(...working.map(({ link }) => pickUpSecondsOf(link))),
  }
}

function pacesOf(devices: readonly RoutedDevice[]): StandingPace[] | null {
  const paces = devices.map(({ throughput, link }) => throughput && standingPaces(throughput, link))
  return paces.length === 0 || paces.includes(null) ? null : paces.flatMap((pace) => pace ?? [])
}

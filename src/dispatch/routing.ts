import type { Mode } from '../storage/schema.ts'
import { canUseSender } from './choose-device.ts'
import type { DevicePool } from './device-pool.ts'
import type { DeviceRuntime } from './device-runtime.ts'

/** What the devices that serve an account in a mode can do together; from memory. */
export interface Routing {
  enabled: boolean
  online: boolean
  simulated: boolean
  phonesOnly: boolean
  maxParts: number
  /** Seconds until the next message can go at the devices' pace; null when no device works. */
  estimatedWaitSeconds: number | null
  /** Whether `from` may be this. */
  canUseSender(sender: string): boolean
}

export function routingFor(pool: DevicePool, accountId: string, mode: Mode): Routing {
  const devices = pool.forAccount(accountId, mode)
  const working = devices.filter((device) => device.candidate().health !== 'offline')
  return {
    enabled: devices.length > 0,
    online: working.length > 0,
    simulated: devices.some((device) => device.facts.kind === 'simulator'),
    phonesOnly: devices.length > 0 && devices.every((device) => device.facts.kind === 'android'),
    maxParts: devices.reduce((most, device) => Math.max(most, device.link.capabilities.maxParts), 0),
    estimatedWaitSeconds: working.length === 0 ? null : Math.min(...working.map(waitSeconds)),
    canUseSender: (sender) => devices.some((device) => canUseSender(device.facts.senders, sender)),
  }
}

function waitSeconds(device: DeviceRuntime): number {
  const throughput = device.throughput()
  if (throughput === null || throughput.remaining > 0) return 0
  return throughput.resetsAt === null ? 0 : Math.ceil(throughput.resetsInMs / 1000)
}

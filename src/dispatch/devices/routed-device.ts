import { isWorking } from '../../connectors/health.ts'
import type { Capabilities } from '../../connectors/connector.ts'
import type { DeviceFacts } from '../configuration/device-facts.ts'
import { knownSenders } from '../configuration/known-senders.ts'
import type { DeviceRuntime } from './device-runtime.ts'
import type { Throughput } from '../rates/throughput.ts'

/** A device that could carry a send, on whichever node it runs. */
export interface RoutedDevice {
  facts: DeviceFacts
  capabilities: Capabilities
  isWorking: boolean
  throughput: Throughput | null
  /** How it is connected, as `Health` has it. */
  link: string
}

/** A device that runs on this node. */
export function routedHere(device: DeviceRuntime): RoutedDevice {
  const { facts, standing } = device
  return {
    facts,
    capabilities: device.link.capabilities,
    isWorking: !facts.isDraining && isWorking(standing),
    throughput: device.throughput(),
    link: standing.link,
  }
}

/** What is known of a device once it no longer runs on this node, with the numbers of its SIMs. */
export const knownOf = ({ facts, link }: DeviceRuntime): Pick<RoutedDevice, 'facts' | 'capabilities'> => ({
  facts: { ...facts, senders: knownSenders(facts, link) },
  capabilities: link.capabilities,
})

/** Returns the key of whom a device serves: an account in a mode, or with null all accounts in it. */
export const servedBy = ({ accountId, mode }: Pick<DeviceFacts, 'accountId' | 'mode'>): string =>
  `${accountId ?? ''}/${mode}`

import { isPull, type Link, type Pull } from '../../connectors/connector.ts'
import type { DeviceFacts } from './device-facts.ts'

/** The senders that a running device was given, and the known numbers of its SIMs. */
export function knownSenders(
  { senders }: Pick<DeviceFacts, 'senders'>,
  link: Link | Pull,
): ReadonlySet<string> {
  const numbers = isPull(link) ? link.sims.simOf : null
  return numbers === null || numbers.size === 0 ? senders : senders.union(new Set(numbers.keys()))
}

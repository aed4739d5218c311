import { isPull, type Link, type Pull } from '../../connectors/connector.ts'
import type { Candidate } from '../routes/candidate.ts'
import type { DeviceFacts } from './device-facts.ts'

/** The senders that a running device was given, and the known numbers of its SIMs. */
export function knownSenders(
  { senders }: Pick<DeviceFacts, 'senders'>,
  link: Link | Pull,
): ReadonlySet<string> {
  const numbers = isPull(link) ? link.sims.simOf : null
  return numbers === null || numbers.size === 0 ? senders : senders.union(new Set(numbers.keys()))
}

/** Returns what the link of a running device can carry. */
export const carriedBy = (
  link: Link | Pull,
): Pick<Candidate, 'maxParts' | 'alphanumericSender' | 'choosesEncoding' | 'fetches'> => ({
  maxParts: link.capabilities.maxParts,
  alphanumericSender: link.capabilities.alphanumericSender,
  choosesEncoding: link.capabilities.encodingChoice,
  fetches: isPull(link),
})

import type { ApiMessage } from '../api-client.ts'
import type { PeerRecord } from '../peers/message-peer.ts'
import { type Load, markerOf } from './load.ts'

/** What the client, the server and the other end of the device say of the same messages. */
export interface Words {
  /** What the server has. */
  messages: readonly ApiMessage[]
  /** What the clients were answered. */
  loads: readonly Pick<Load, 'accepted'>[]
  /** What the peer was submitted. */
  records: readonly Pick<PeerRecord, 'attempt_id' | 'text' | 'to'>[]
  /** Of which the report came after the message was given up. */
  wasLate?: (message: ApiMessage) => boolean
}

/** What a message is, whatever its ids: its marker and its recipient. */
const identityOf = ({ text, to }: { text: string | null; to: string }): string =>
  `${markerOf(text ?? '')} ${to}`

const repeated = (names: readonly string[]): string[] => {
  const seen = new Set<string>()
  return names.filter((name) => seen.size === seen.add(name).size)
}

/**
 * Lists what does not hold once all is quiet, by what it is: nothing accepted is lost, nothing is stored or submitted twice, what is delivered was submitted,
 * and each message is charged as its state says. Empty where all of it holds.
 */
export function faultsOf({
  messages,
  loads,
  records,
  wasLate = () => false,
}: Words): Record<string, unknown[]> {
  const known = new Set(messages.map(({ id }) => id))
  const accepted = loads.flatMap((load) => [...load.accepted.values()].flatMap((send) => send.messages))
  const submitted = new Set(records.map(identityOf))
  const all = {
    'accepted, and lost': accepted.filter(({ id }) => !known.has(id)),
    'stored twice': repeated(messages.map(identityOf)),
    'attempts submitted twice': repeated(records.map(({ attempt_id }) => attempt_id)),
    'messages submitted twice': repeated(records.map(identityOf)),
    'delivered, and never submitted': messages.filter(
      (message) => message.status === 'delivered' && !submitted.has(identityOf(message)),
    ),
    'charged otherwise than their state says': messages.filter(
      (message) => message.cost.charged !== chargeOf(message, wasLate) || message.cost.held !== message.parts,
    ),
  }
  return Object.fromEntries(Object.entries(all).filter(([, found]) => found.length > 0))
}

/** Returns what the messages have cost. */
export const usedBy = (messages: readonly ApiMessage[]): number =>
  messages.reduce((sum, { cost }) => sum + cost.charged, 0)

/** A word that comes after a message was given up corrects its state, and never charges. */
const chargeOf = (message: ApiMessage, wasLate: (message: ApiMessage) => boolean): number =>
  message.status === 'delivered' && !wasLate(message) ? message.parts : 0

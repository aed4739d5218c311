import { dayMs, rfc3339 } from '../../runtime/clock.ts'
import type { InstanceSecret } from '../../runtime/derived-keys.ts'
import { loadInstanceSecret } from '../../process/instance-secret.ts'
import { phoneAddress } from '../../devices/phones/phone-address.ts'
import { ownAddresses } from '../../reach/find-addresses.ts'
import type { PhoneContact } from '../../storage/tables/json-columns.ts'
import { placeOf } from '../../process/own-address.ts'
import type { ReachedFrom } from '../../devices/phones/reach-checks.ts'
import { wayOf } from '../../devices/phones/reach-way.ts'
import { ownCommand } from '../../process/own-command.ts'
import { createTryAddress } from '../../reach/own-reach.ts'
import { failureOf, type Reach } from '../../reach/reach.ts'
import { type CheckResult, fine, wrong } from './check-result.ts'
import type { CommandContext } from './command-context.ts'

/** A phone that made contact within this proves that phones reach the address. */
const provenMs = dayMs

/** What a fine result does not show. */
export const onlyAPhone = 'Reached from this machine; only a phone can show that a phone can reach it.'

/** Connects to the address of phones with the settings and secret of this command. */
export async function reachPhoneAddress(
  { config, clock, randomBytes }: Pick<CommandContext, 'config' | 'clock' | 'randomBytes'>,
  secret?: InstanceSecret,
): Promise<Reach> {
  const tryAddress = await createTryAddress(config, {
    clock,
    randomBytes,
    secret: secret ?? (await loadInstanceSecret(config)),
  })
  return tryAddress(phoneAddress(config))
}

/** What shows that phones use the address of phones. */
export interface PhoneEvidence {
  /** Contacts of phones that fetch their messages, by any address. */
  contacts: readonly PhoneContact[]
  /** A phone opened the link of `onesixty reach` for this address; null: none did. */
  reached: ReachedFrom | null
}

/**
 * Checks the address of phones by connecting to it. It passes only when a phone made contact by this address, or
 * opened the link of a check for it, within a day; then a failure from this machine is a hint. A contact of which a
 * proxy or a cable hides the address counts only where this machine reaches the address as well.
 */
export async function checkPhoneAddress(
  tools: Pick<CommandContext, 'config' | 'clock' | 'randomBytes'>,
  evidence: PhoneEvidence,
): Promise<CheckResult> {
  const address = phoneAddress(tools.config)
  const name = 'phone_address'
  let reach: Reach
  try {
    reach = await reachPhoneAddress(tools)
  } catch (error) {
    return wrong(
      name,
      `${address} cannot be tried: ${(error as Error).message}`,
      'Correct the settings first.',
    )
  }
  const failure = failureOf(reach)
  const proof = proofOf(evidence, {
    nowMs: tools.clock.now(),
    place: placeOf(address),
    isReached: failure === null,
  })
  const said = [`API URL for phones: ${address}.`, failure && `${failure.part}: ${failure.summary}`, proof]
  const summaryOf = (...more: string[]): string => [...said, ...more].filter(Boolean).join(' ')
  if (failure !== null)
    return proof === null ? wrong(name, summaryOf(), failure.remedy ?? openLink()) : fine(name, summaryOf())
  if (proof === null) return wrong(name, summaryOf(onlyAPhone), openLink())
  return { ...fine(name, summaryOf()), remedy: reach.steps.find(({ remedy }) => remedy)?.remedy ?? null }
}

const openLink = (): string =>
  `Connect a phone, or run ${ownCommand()} reach and open its link with a phone: no phone has come by this address within a day.`

/** Returns what proves that phones reach the address; null without evidence of the last day. */
function proofOf(
  { contacts, reached }: PhoneEvidence,
  { nowMs, place, isReached }: { nowMs: number; place: string; isReached: boolean },
): string | null {
  const isRecent = (atMs: number): boolean => nowMs - atMs < provenMs
  const proving = contacts.filter(
    ({ atMs, address, isCertain }) => address === place && (isCertain || isReached) && isRecent(atMs),
  )
  const contactAtMs = Math.max(...proving.map(({ atMs }) => atMs))
  if (proving.length > 0) return `A phone made contact at ${rfc3339(contactAtMs)}.`
  return reached !== null && isRecent(reached.atMs) ? describeReached(reached) : null
}

/** Returns what an attempt found, for the document of a command. */
export const reachDocument = ({ isReached, steps }: Reach): object => ({
  ok: isReached,
  steps: steps.map(({ part, isOk, summary, remedy }) => ({ part, ok: isOk, summary, remedy })),
})

/** Says which phone opened the link of a check, and on which way. */
export const describeReached = ({ atMs, from }: ReachedFrom): string =>
  `A phone reached it at ${rfc3339(atMs)} from ${from}, by ${wayOf(from, ownAddresses())}.`

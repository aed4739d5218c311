import { dayMs, rfc3339 } from '../../runtime/clock.ts'
import type { InstanceSecret } from '../../runtime/derived-keys.ts'
import { loadInstanceSecret } from '../../process/instance-secret.ts'
import { phoneAddress } from '../../devices/phones/phone-address.ts'
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

/** When phones last used the address of phones; null: never. */
export interface PhoneEvidence {
  /** A phone that fetches its messages made contact. */
  contactAtMs: number | null
  /** A phone opened the link of `onesixty reach`. */
  reached: ReachedFrom | null
}

/**
 * Checks the address of phones by connecting to it. It passes only when a phone made contact, or opened the link
 * of a check, within a day; then a failure from this machine is a hint.
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
  const proof = proofOf(evidence, tools.clock.now())
  const said = [`API URL for phones: ${address}.`, failure && `${failure.part}: ${failure.summary}`, proof]
  const summaryOf = (...more: string[]): string => [...said, ...more].filter(Boolean).join(' ')
  if (failure !== null)
    return proof === null ? wrong(name, summaryOf(), failure.remedy ?? openLink()) : fine(name, summaryOf())
  if (proof === null) return wrong(name, summaryOf(onlyAPhone), openLink())
  return { ...fine(name, summaryOf()), remedy: reach.steps.find(({ remedy }) => remedy)?.remedy ?? null }
}

const openLink = (): string =>
  `Connect a phone, or run ${ownCommand()} reach and open its link with a phone: no phone has come within a day.`

/** Returns what proves that phones reach the address; null without evidence of the last day. */
function proofOf({ contactAtMs, reached }: PhoneEvidence, nowMs: number): string | null {
  const isRecent = (atMs: number): boolean => nowMs - atMs < provenMs
  if (contactAtMs !== null && isRecent(contactAtMs)) return `A phone made contact at ${rfc3339(contactAtMs)}.`
  return reached !== null && isRecent(reached.atMs) ? describeReached(reached) : null
}

/** Returns what an attempt found, for the document of a command. */
export const reachDocument = ({ isReached, steps }: Reach): object => ({
  ok: isReached,
  steps: steps.map(({ part, isOk, summary, remedy }) => ({ part, ok: isOk, summary, remedy })),
})

/** Says which phone opened the link of a check, and on which way. */
export const describeReached = ({ atMs, from }: ReachedFrom): string =>
  `A phone reached it at ${rfc3339(atMs)} from ${from}, by ${wayOf(from)}.`

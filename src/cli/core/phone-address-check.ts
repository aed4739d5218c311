import { dayMs, rfc3339 } from '../../runtime/clock.ts'
import type { InstanceSecret } from '../../runtime/derived-keys.ts'
import { loadInstanceSecret } from '../../process/instance-secret.ts'
import { phoneAddress } from '../../devices/phones/phone-address.ts'
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

/**
 * Checks the address of phones by connecting to it. It passes when this instance answers there, or when a phone
 * made contact within a day; then a failure from this machine is a hint.
 */
export async function checkPhoneAddress(
  tools: Pick<CommandContext, 'config' | 'clock' | 'randomBytes'>,
  lastSeenAt: number | null,
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
  const isProven = lastSeenAt !== null && tools.clock.now() - lastSeenAt < provenMs
  const proof = isProven ? ` A phone made contact at ${rfc3339(lastSeenAt)}.` : ''
  if (failure === null) {
    const hint = reach.steps.find(({ remedy }) => remedy !== null)?.remedy ?? null
    return {
      ...fine(name, `API URL for phones: ${address}. ${isProven ? proof.trim() : onlyAPhone}`),
      remedy: hint,
    }
  }
  const summary = `API URL for phones: ${address}. ${failure.part}: ${failure.summary}${proof}`
  return isProven ? fine(name, summary) : { name, ok: false, summary, remedy: failure.remedy }
}

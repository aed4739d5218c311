import { hash } from 'node:crypto'
import { type Clock, minuteMs } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { refuse } from '../../errors.ts'
import type { SharedCounts } from '../../shared-counts.ts'
import { networkOf } from '../remote-address.ts'
import { TryLimit } from '../../try-limit.ts'

/** How often people may try to get in, by what they try to open and by network. */
export interface IdentityLimits {
  signInByName: TryLimit
  signInByNetwork: TryLimit
  signUpByNetwork: TryLimit
  resetByEmail: TryLimit
  resetByNetwork: TryLimit
  invitationsByAccount: TryLimit
  emailLinksByUser: TryLimit
}

/** How often anybody may try to sign in, to open an account, to have a password replaced and to invite; shared with other nodes by `counts`. */
export function createIdentityLimits(
  deps: { clock: Pick<Clock, 'monotonicMs'>; counts?: SharedCounts },
  {
    signInFailures,
    signUpsPerHour,
    invitationsPerHour,
  }: Pick<Config, 'signInFailures' | 'signUpsPerHour' | 'invitationsPerHour'>,
): IdentityLimits {
  const { clock, counts } = deps
  const limit = (kind: string, most: number, minutes: number): TryLimit =>
    new TryLimit(
      { clock, shared: counts === undefined ? undefined : { counts, kind } },
      { most, windowMs: minutes * minuteMs },
    )
  return {
    signInByName: limit('signInByName', signInFailures, 15),
    // People of one office stand behind one address.
    signInByNetwork: limit('signInByNetwork', signInFailures * 3, 15),
    signUpByNetwork: limit('signUpByNetwork', signUpsPerHour, 60),
    // Each mail that is asked for lands with somebody.
    resetByEmail: limit('resetByEmail', 3, 60),
    resetByNetwork: limit('resetByNetwork', 20, 60),
    // So does each invitation, with words that whoever invites has chosen.
    invitationsByAccount: limit('invitationsByAccount', invitationsPerHour, 60),
    emailLinksByUser: limit('emailLinksByUser', 5, 60),
  }
}

/**
 * Counts an attempt under what is tried to be opened, an e-mail address most often, and under the network of `address`; refuses when either has
 * had too many. `succeeded` ends the count of the former, and takes this one back from the network.
 */
export function takeSignInAttempt(
  { signInByName, signInByNetwork }: Pick<IdentityLimits, 'signInByName' | 'signInByNetwork'>,
  { name, address }: { name: string; address: string },
): { succeeded(): void } {
  const network = networkOf(address)
  // Strangers choose the name, at any length: what is kept of it, and told to other nodes, is as long as of any other.
  const digest = hash('sha256', name, 'base64url')
  takeOrRefuse(signInByNetwork, network)
  takeOrRefuse(signInByName, digest)
  return {
    succeeded() {
      signInByNetwork.giveBack(network)
      signInByName.forget(digest)
    },
  }
}

/** Counts one, or refuses with the time to wait. */
export function takeOrRefuse(limit: TryLimit, name: string): void {
  const seconds = limit.take(name)
  if (seconds === 0) return
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  throw refuse('rate_limited', {
    detail: `There were too many attempts. Try again in ${wait}.`,
    headers: { 'retry-after': String(seconds) },
  })
}

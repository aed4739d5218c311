import { hash } from 'node:crypto'
import { type Clock, minuteMs } from '../../../runtime/clock.ts'
import type { Config } from '../../../config.ts'
import type { SharedCounts } from '../../../runtime/shared-counts.ts'
import { networkOf, siteOf } from '../../edge/remote-address.ts'
import { SlidingCount, takeOrRefuse } from '../../../runtime/sliding-count.ts'

/**
 * A limit per network, and for IPv6 also per surrounding /48, with three times the count: an owner of a /48
 * could otherwise use a new network for each attempt.
 */
export interface PlaceLimit {
  network: SlidingCount
  site: SlidingCount
}

/** Limits of authentication attempts, by target and by network. */
export interface IdentityLimits {
  /** Unknown browsers, by name and network. */
  signInByPlace: PlaceLimit
  /** Unknown browsers from all networks, by name. */
  signInByName: SlidingCount
  signInByNetwork: PlaceLimit
  /** Known browsers, by user and browser. */
  signInByBrowser: SlidingCount
  /** Second-factor codes from known browsers, by user. */
  codesByUser: SlidingCount
  signUpByNetwork: PlaceLimit
  /** By e-mail address and network. */
  resetByPlace: PlaceLimit
  /** From all networks, by e-mail address. */
  resetByEmail: SlidingCount
  /** Known browsers, by user and browser. */
  resetByBrowser: SlidingCount
  resetByNetwork: PlaceLimit
  invitationsByAccount: SlidingCount
  emailLinksByUser: SlidingCount
  /** By user and requested e-mail address. */
  emailLinksByUserAndEmail: SlidingCount
  /** From all users, by requested e-mail address. */
  emailLinksByEmail: SlidingCount
}

/**
 * Creates the limits of sign-in, sign-up, password resets and invitations; shared with other nodes by
 * `counts`.
 */
export function createIdentityLimits(
  deps: { clock: Pick<Clock, 'monotonicMs'>; counts?: SharedCounts },
  {
    signInFailures,
    signUpsPerHour,
    invitationsPerHour,
  }: Pick<Config, 'signInFailures' | 'signUpsPerHour' | 'invitationsPerHour'>,
): IdentityLimits {
  const { clock, counts } = deps
  const limit = (kind: string, most: number, minutes: number): SlidingCount =>
    new SlidingCount(
      { clock, shared: counts === undefined ? undefined : { counts, kind } },
      { most, windowMs: minutes * minuteMs },
    )
  const placeLimit = (kind: string, most: number, minutes: number): PlaceLimit => ({
    network: limit(kind, most, minutes),
    site: limit(`${kind}Site`, most * 3, minutes),
  })
  return {
    signInByPlace: placeLimit('signInByPlace', signInFailures, 15),
    // 100 by default, the maximum of NIST SP 800-63B: guessing from many networks is not faster than that.
    signInByName: limit('signInByName', signInFailures * 10, 15),
    signInByBrowser: limit('signInByBrowser', signInFailures, 15),
    // Three codes of a million are valid at a time. An attacker in control of a known browser needs years to
    // guess one, with 100 codes a day.
    codesByUser: limit('codesByUser', signInFailures * 10, 24 * 60),
    // All users of an office can share one address.
    signInByNetwork: placeLimit('signInByNetwork', signInFailures * 3, 15),
    signUpByNetwork: placeLimit('signUpByNetwork', signUpsPerHour, 60),
    // Each requested mail is delivered to a person. The owner can still request one after a stranger has
    // requested three.
    resetByPlace: placeLimit('resetByPlace', 3, 60),
    resetByEmail: limit('resetByEmail', 10, 60),
    resetByBrowser: limit('resetByBrowser', 3, 60),
    resetByNetwork: placeLimit('resetByNetwork', 20, 60),
    // So does each invitation, with a text chosen by the inviting user.
    invitationsByAccount: limit('invitationsByAccount', invitationsPerHour, 60),
    emailLinksByUser: limit('emailLinksByUser', 5, 60),
    emailLinksByUserAndEmail: limit('emailLinksByUserAndEmail', 3, 60),
    emailLinksByEmail: limit('emailLinksByEmail', 10, 60),
  }
}

type SignInLimits = Pick<
  IdentityLimits,
  'signInByPlace' | 'signInByName' | 'signInByNetwork' | 'signInByBrowser'
>

/**
 * Counts an attempt to authenticate, usually for an e-mail address. A known browser (`known-browsers.ts`) is
 * counted separately, so that no stranger can lock out its owner. An unknown browser is counted by name and
 * network of `address` together, and by each of both. Refuses when one count is exhausted. `succeeded` resets
 * the count of the browser, or of the name in this network, and removes this attempt from the others.
 */
export function takeSignInAttempt(
  limits: SignInLimits,
  { name, address, browser = null }: { name: string; address: string; browser?: string | null },
): { succeeded(): void } {
  if (browser !== null) {
    const known = digestOf(browser)
    takeOrRefuse(limits.signInByBrowser, known)
    return { succeeded: () => limits.signInByBrowser.forget(known) }
  }
  const anywhere = digestOf(name)
  takePlaceOrRefuse(limits.signInByNetwork, address)
  // An attempt refused here does not count for the name: one network cannot use up the attempts of all.
  takePlaceOrRefuse(limits.signInByPlace, address, name)
  takeOrRefuse(limits.signInByName, anywhere)
  return {
    succeeded() {
      const { signInByNetwork, signInByPlace, signInByName } = limits
      for (const [limit, place] of placesOf(signInByNetwork, address)) limit.giveBack(place)
      signInByPlace.network.forget(placeOf(networkOf(address), name))
      for (const [limit, place] of placesOf(signInByPlace, address, name).slice(1)) limit.giveBack(place)
      signInByName.giveBack(anywhere)
    },
  }
}

/**
 * Counts a second-factor code as `takeSignInAttempt` does. A code from a known browser is also counted by
 * user, because the factor itself does not count those (`second-factor-codes.ts`). `succeeded` resets that
 * count.
 */
export function takeCodeAttempt(
  limits: SignInLimits & Pick<IdentityLimits, 'codesByUser'>,
  { userId, ...attempt }: Parameters<typeof takeSignInAttempt>[1] & { userId: string | null },
): { succeeded(): void } {
  const counted = takeSignInAttempt(limits, attempt)
  if (userId === null || (attempt.browser ?? null) === null) return counted
  takeOrRefuse(limits.codesByUser, userId)
  return {
    succeeded() {
      counted.succeeded()
      limits.codesByUser.forget(userId)
    },
  }
}

/**
 * Strangers choose the name, of any length. Its digest, which is stored and broadcast, has a fixed length.
 */
const digestOf = (name: string): string => hash('sha256', name, 'base64url')

/**
 * Counts a requested reset link, by network and in total. A known browser is counted separately, so that no
 * stranger can keep its owner from one. A request refused for its network does not count in total.
 */
export function takeReset(
  limits: Pick<IdentityLimits, 'resetByPlace' | 'resetByEmail' | 'resetByBrowser'>,
  { address, email, browser = null }: { address: string; email: string; browser?: string | null },
): void {
  if (browser !== null) return takeOrRefuse(limits.resetByBrowser, digestOf(browser))
  takePlaceOrRefuse(limits.resetByPlace, address, email)
  takeOrRefuse(limits.resetByEmail, digestOf(email))
}

/**
 * Counts a requested link to a new e-mail address. No single user, and no refused request, can use up the
 * total.
 */
export function takeEmailLink(
  limits: Pick<IdentityLimits, 'emailLinksByUser' | 'emailLinksByUserAndEmail' | 'emailLinksByEmail'>,
  { userId, email }: { userId: string; email: string },
): void {
  takeOrRefuse(limits.emailLinksByUser, userId)
  takeOrRefuse(limits.emailLinksByUserAndEmail, digestOf(`${userId} ${email}`))
  takeOrRefuse(limits.emailLinksByEmail, digestOf(email))
}

/** Counts an attempt by network, or by name and network, or refuses with the time to wait. */
export function takePlaceOrRefuse(limit: PlaceLimit, address: string, name?: string): void {
  for (const [each, place] of placesOf(limit, address, name)) takeOrRefuse(each, place)
}

/** Returns the network first. */
function placesOf({ network, site }: PlaceLimit, address: string, name?: string): [SlidingCount, string][] {
  const around = siteOf(address)
  const own: [SlidingCount, string] = [network, placeOf(networkOf(address), name)]
  return around === null ? [own] : [own, [site, placeOf(around, name)]]
}

const placeOf = (network: string, name?: string): string =>
  name === undefined ? network : digestOf(`${network} ${name}`)

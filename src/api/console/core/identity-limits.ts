import { hash } from 'node:crypto'
import { type Clock, minuteMs } from '../../../runtime/clock.ts'
import type { Config } from '../../../config.ts'
import { refuse } from '../../../runtime/errors.ts'
import type { SharedCounts } from '../../../runtime/shared-counts.ts'
import { networkOf, siteOf } from '../../remote-address.ts'
import { TryLimit } from '../../../runtime/try-limit.ts'

/** By network, and of IPv6 by the /48 around it too, three times as often: whoever has one would else be a new network at each try. */
export interface PlaceLimit {
  network: TryLimit
  site: TryLimit
}

/** How often people may try to get in, by what they try to open and by network. */
export interface IdentityLimits {
  /** Strangers, by name and network. */
  signInByPlace: PlaceLimit
  /** Strangers from all networks, by name. */
  signInByName: TryLimit
  signInByNetwork: PlaceLimit
  /** A browser that has signed in before, by user and browser. */
  signInByBrowser: TryLimit
  /** Codes of the second factor from known browsers, by user. */
  codesByUser: TryLimit
  signUpByNetwork: PlaceLimit
  /** By e-mail address and network. */
  resetByPlace: PlaceLimit
  /** From all networks, by e-mail address. */
  resetByEmail: TryLimit
  /** A browser that has signed in before, by user and browser. */
  resetByBrowser: TryLimit
  resetByNetwork: PlaceLimit
  invitationsByAccount: TryLimit
  emailLinksByUser: TryLimit
  /** By user and the address that they ask to change theirs to. */
  emailLinksByUserAndEmail: TryLimit
  /** From all users, by that address. */
  emailLinksByEmail: TryLimit
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
  const placeLimit = (kind: string, most: number, minutes: number): PlaceLimit => ({
    network: limit(kind, most, minutes),
    site: limit(`${kind}Site`, most * 3, minutes),
  })
  return {
    signInByPlace: placeLimit('signInByPlace', signInFailures, 15),
    // 100 unless set otherwise, as many as NIST SP 800-63B bears: from many networks guessing is no quicker than that.
    signInByName: limit('signInByName', signInFailures * 10, 15),
    signInByBrowser: limit('signInByBrowser', signInFailures, 15),
    // Three steps of a million codes are right at a time: whoever has taken a known browser over guesses one in years, with 100 codes a day.
    codesByUser: limit('codesByUser', signInFailures * 10, 24 * 60),
    // People of one office stand behind one address.
    signInByNetwork: placeLimit('signInByNetwork', signInFailures * 3, 15),
    signUpByNetwork: placeLimit('signUpByNetwork', signUpsPerHour, 60),
    // Each mail that is asked for is delivered to a person, who can still have one when a stranger has asked for three.
    resetByPlace: placeLimit('resetByPlace', 3, 60),
    resetByEmail: limit('resetByEmail', 10, 60),
    resetByBrowser: limit('resetByBrowser', 3, 60),
    resetByNetwork: placeLimit('resetByNetwork', 20, 60),
    // So does each invitation, with words that whoever invites has chosen.
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
 * Counts an attempt at what is tried to be opened, an e-mail address most often. A known browser (`known-browsers.ts`) is counted by itself, so that
 * no stranger keeps its owner out; a stranger under the name and the network of `address`, and under each of both. Refuses when one has had too many.
 * `succeeded` ends the count of the browser, or of the name at this network, and takes this attempt back from the others.
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
  // What is refused here is no attempt at the name: one network cannot use up what all have together.
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
 * Counts a code of the second factor as `takeSignInAttempt` does, and one from a known browser by its user, too: of those the factor itself counts
 * none (`second-factor-codes.ts`). `succeeded` ends that count.
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

/** Strangers choose the name, at any length: what is kept of it, and told to other nodes, is as long as of any other. */
const digestOf = (name: string): string => hash('sha256', name, 'base64url')

/**
 * Counts a link that is asked for, at the network and in all; from a known browser by itself, so that no stranger keeps its owner from one. What is
 * refused at the network is none of those that all networks have together.
 */
export function takeReset(
  limits: Pick<IdentityLimits, 'resetByPlace' | 'resetByEmail' | 'resetByBrowser'>,
  { address, email, browser = null }: { address: string; email: string; browser?: string | null },
): void {
  if (browser !== null) return takeOrRefuse(limits.resetByBrowser, digestOf(browser))
  takePlaceOrRefuse(limits.resetByPlace, address, email)
  takeOrRefuse(limits.resetByEmail, digestOf(email))
}

/** Counts a link to a new address that a user asks for. No user can use up what all have together, nor one who is refused. */
export function takeEmailLink(
  limits: Pick<IdentityLimits, 'emailLinksByUser' | 'emailLinksByUserAndEmail' | 'emailLinksByEmail'>,
  { userId, email }: { userId: string; email: string },
): void {
  takeOrRefuse(limits.emailLinksByUser, userId)
  takeOrRefuse(limits.emailLinksByUserAndEmail, digestOf(`${userId} ${email}`))
  takeOrRefuse(limits.emailLinksByEmail, digestOf(email))
}

/** Counts one at a network, or at what is tried to be opened from there, or refuses with the time to wait. */
export function takePlaceOrRefuse(limit: PlaceLimit, address: string, name?: string): void {
  for (const [each, place] of placesOf(limit, address, name)) takeOrRefuse(each, place)
}

/** The network first. */
function placesOf({ network, site }: PlaceLimit, address: string, name?: string): [TryLimit, string][] {
  const around = siteOf(address)
  const own: [TryLimit, string] = [network, placeOf(networkOf(address), name)]
  return around === null ? [own] : [own, [site, placeOf(around, name)]]
}

const placeOf = (network: string, name?: string): string =>
  name === undefined ? network : digestOf(`${network} ${name}`)

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

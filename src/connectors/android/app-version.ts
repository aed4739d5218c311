import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { Capabilities } from '../connector.ts'

/**
 * The version of the app from its User-Agent (`me.capcom.smsgateway/1.68.0`); null where it names none, as on
 * event streams.
 */
export const appVersionOf = (userAgent: string | undefined): string | null =>
  /^me\.capcom\.smsgateway\/(\d{1,4}(?:\.\d{1,4}){0,3})/.exec(userAgent ?? '')?.[1] ?? null

/** The oldest supported app: from this version on it fetches after it has opened an event stream. */
export const oldestSupported = '1.53.1'

/** Features by the version of the app that introduced them; an older one would misread them. */
export const since = {
  /** Items to cancel: an older app would send them as messages. */
  cancel: '1.67.0',
  /** The webhook `app:started`. */
  appStarted: '1.66.0',
} as const

/** Returns whether the app has this version or a later one; an unknown version counts as the oldest. */
export function isSince(appVersion: string | null, version: string): boolean {
  const ours = numbersOf(appVersion ?? oldestSupported)
  for (const [place, least] of numbersOf(version).entries()) {
    const has = ours[place] ?? 0
    if (has !== least) return has > least
  }
  return true
}

/** Apps in use have few versions; they are compared for each phone at each fetch of any phone. */
const numbersByVersion = new BoundedMap<readonly number[]>(1_000)

function numbersOf(version: string): readonly number[] {
  const parsed = numbersByVersion.get(version)
  if (parsed !== undefined) return parsed
  const numbers = version.split('.').map(Number)
  numbersByVersion.set(version, numbers)
  return numbers
}

/** What the app can send, in every supported version: its phone chooses sender and encoding. */
export const appCarries = { maxParts: 10, alphanumericSender: false, encodingChoice: false } as const

export const appCapabilities: Capabilities = { deliveryReports: true, ...appCarries }

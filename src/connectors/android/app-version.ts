/** The version of the app by its User-Agent (`me.capcom.smsgateway/1.68.0`); null where it says none, as on event streams. */
export const appVersionOf = (userAgent: string | undefined): string | null =>
  /^me\.capcom\.smsgateway\/(\d{1,4}(?:\.\d{1,4}){0,3})/.exec(userAgent ?? '')?.[1] ?? null

/** The oldest app that this service was made for: from it on an opened event stream is followed by a pull. */
export const oldestSupported = '1.53.1'

/** What came with which version of the app; sent to an older one it would be misread. */
export const since = {
  /** Items to cancel: an older app would send them as messages. */
  cancel: '1.67.0',
  /** The webhook `app:started`. */
  appStarted: '1.66.0',
} as const

/** Whether the app is of that version or a later one; one that is not known is taken for the oldest. */
export function isSince(appVersion: string | null, version: string): boolean {
  const ours = numbersOf(appVersion ?? oldestSupported)
  for (const [place, least] of numbersOf(version).entries()) {
    const has = ours[place] ?? 0
    if (has !== least) return has > least
  }
  return true
}

const numbersOf = (version: string): number[] => version.split('.').map(Number)

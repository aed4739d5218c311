/** Replaces the number of an erased recipient. It is not a number, so no filter finds it. */
export const erasedNumber = 'erased'

/** Returns the number of a recipient; null when the device did not report one, or when it was erased. */
export const knownNumber = (recipient: string): string | null =>
  recipient === '' || recipient === erasedNumber ? null : recipient

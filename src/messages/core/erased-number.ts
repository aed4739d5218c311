/** Stands for a recipient who was erased. No number, so that no filter finds it. */
export const erasedNumber = 'erased'

/** The number that a message went to, or reached; null when a device did not tell, or it was erased. */
export const knownNumber = (recipient: string): string | null =>
  recipient === '' || recipient === erasedNumber ? null : recipient

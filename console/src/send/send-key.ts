/** A name for what a person is about to send: a second click, or a repeat after a lost answer, sends nothing more. */
export const newSendKey = (): string => crypto.randomUUID()

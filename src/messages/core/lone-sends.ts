/**
 * A send of one recipient that is sent immediately, without replaced characters, has no row in `sends`: its
 * message says all about it. Its ID is that of its message, with the prefix of a send.
 */
export const loneSendId = (messageId: string): string => `snd_${messageId.slice(4)}`

/** Returns the message that a send consists of if it has no row of its own. */
export const loneMessageId = (sendId: string): string => `msg_${sendId.slice(4)}`

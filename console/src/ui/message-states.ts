import type { MessageRow } from '../../../src/messages/core/message-store.ts'

export type MessageStatus = MessageRow['status']

/** How a state is shown, and what it means. Colour never tells alone: the word stands beside it. */
export const messageStates: Readonly<Record<MessageStatus, { color: string; means: string }>> = {
  scheduled: { color: 'gray', means: 'It waits for the time at which it is to be sent.' },
  queued: { color: 'gray', means: 'It is stored for good; no device has it yet.' },
  sending: { color: 'blue', means: 'A device has it. That proves nothing about the network.' },
  sent: { color: 'cyan', means: 'The network took every part. Nothing is known of the handset.' },
  delivered: { color: 'teal', means: 'The network says that the handset took every part.' },
  undelivered: { color: 'orange', means: 'The network took it, then could not deliver it.' },
  failed: { color: 'red', means: 'It was certainly not submitted, or only in part.' },
  expired: { color: 'orange', means: 'Its validity ended before it was submitted.' },
  canceled: { color: 'gray', means: 'It was stopped before it was submitted.' },
  unconfirmed: { color: 'yellow', means: 'Nobody knows whether it arrived.' },
  received: { color: 'grape', means: 'It came in from a phone.' },
}

import type { MessageRow } from '../../../src/messages/core/message-store.ts'

export type MessageStatus = MessageRow['status']

/** Colour and meaning of each status. It is always shown with its name, never by colour alone. */
export const messageStates: Readonly<Record<MessageStatus, { color: string; means: string }>> = {
  scheduled: { color: 'gray', means: 'Waiting for its send time.' },
  queued: { color: 'gray', means: 'Stored durably; waiting for a device.' },
  sending: { color: 'blue', means: 'Submitted to a device; the network has not confirmed it yet.' },
  sent: { color: 'cyan', means: 'The network accepted all parts. Delivery to the handset is not confirmed.' },
  delivered: { color: 'teal', means: 'The network reports that the handset received all parts.' },
  undelivered: { color: 'orange', means: 'The network accepted it but could not deliver it.' },
  failed: { color: 'red', means: 'Not submitted, or submitted only in part.' },
  expired: { color: 'orange', means: 'The validity period ended before it was submitted.' },
  canceled: { color: 'gray', means: 'Canceled before it was submitted.' },
  unconfirmed: { color: 'yellow', means: 'Outcome unknown: it may have arrived.' },
  received: { color: 'grape', means: 'Received from a phone.' },
}

import type { StoredMessage, StoredRecipient } from './message-store.ts'
import { writePhoneDate } from './phone-dates.ts'
import { isSince, type PhoneKnobs } from './phone-knobs.ts'
import { countParts } from './sms-parts.ts'

/** What the app tells its webhooks of a recipient's new state; null for a state that has no event. */
export function describeChange(
  knobs: PhoneKnobs,
  message: StoredMessage,
  recipient: StoredRecipient,
  nowMs: number,
): { event: string; payload: Record<string, unknown> } | null {
  const { appVersion, simCards, zone } = knobs
  const now = writePhoneDate(nowMs, zone)
  const sender = simCards.find(({ slotIndex }) => slotIndex + 1 === (message.simNumber ?? 1))?.phoneNumber
  const base = {
    messageId: message.id,
    phoneNumber: recipient.phoneNumber,
    ...(isSince(appVersion, '1.54.0') ? { recipient: recipient.phoneNumber } : {}),
    ...(isSince(appVersion, '1.54.0') && sender !== undefined ? { sender } : {}),
    ...(message.simNumber === null ? {} : { simNumber: message.simNumber }),
  }
  switch (recipient.state) {
    case 'Sent': {
      const partsCount = message.text === null ? 1 : countParts(message.text)
      const parts = isSince(appVersion, '1.48.0') ? { partsCount } : {}
      return { event: 'sms:sent', payload: { ...base, ...parts, sentAt: now } }
    }
    case 'Delivered':
      return { event: 'sms:delivered', payload: { ...base, deliveredAt: now } }
    case 'Failed':
      return { event: 'sms:failed', payload: { ...base, failedAt: now, reason: recipient.error ?? '' } }
    case 'Cancelled':
      return { event: 'sms:cancelled', payload: { ...base, cancelledAt: now } }
    case 'Pending':
    case 'Processed':
      return null
  }
}

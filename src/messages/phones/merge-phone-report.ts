import type { PhoneWord } from '../../storage/tables/column-values.ts'

const ranks: Record<Exclude<PhoneWord, 'failed' | 'canceled'>, number> = {
  pending: 0,
  processed: 1,
  sent: 2,
  delivered: 3,
}

/**
 * What a phone's word adds to what it has said before: the new state, or null when it tells nothing new. Its reports come repeated and out of
 * order, so a state only rises; a failure ends what was not delivered, and a delivery corrects a failure. A cancel ends only what the radio
 * was not given: that it let go of the rest is no proof that it was not sent. What was sent in the moment of a cancel corrects it.
 *
 * Of a text of several `parts` the app says Delivered with the report on its first part, and Failed with the first that fails, for good
 * (`_updateRecipientState` of its MessagesDao.kt): a failure is its last word then, before or behind a delivery.
 */
export function mergePhoneReport(before: PhoneWord | null, said: PhoneWord, parts: number): PhoneWord | null {
  if (before === null) return said
  if (before === 'canceled') return said === 'sent' || said === 'delivered' ? said : null
  if (before === 'failed') return said === 'delivered' && parts === 1 ? said : null
  if (said === 'failed') return before === 'delivered' && parts === 1 ? null : said
  if (said === 'canceled') return before === 'pending' ? said : null
  return ranks[said] > ranks[before] ? said : null
}

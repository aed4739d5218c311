import type { PhoneWord } from '../../storage/tables/column-values.ts'

const ranks: Record<Exclude<PhoneWord, 'failed' | 'canceled'>, number> = {
  pending: 0,
  processed: 1,
  sent: 2,
  delivered: 3,
}

/**
 * Returns what a phone's report adds to its earlier ones: the new state, or null if it adds nothing. Reports
 * can be repeated and out of order, so a state only rises. A failure finishes an undelivered message, and a
 * delivery corrects a failure. A cancel finishes only a message that the radio has not been given: for others
 * it does not prove that nothing was sent. A message that was sent at the moment of its cancel corrects the
 * cancel.
 *
 * For a text of several `parts`, the app reports Delivered with the first part, and Failed permanently with
 * the first failed part (`_updateRecipientState` of its MessagesDao.kt): a failure is then its last report,
 * before or after a delivery.
 */
export function mergePhoneReport(
  before: PhoneWord | null,
  report: PhoneWord,
  parts: number,
): PhoneWord | null {
  if (before === null) return report
  if (before === 'canceled') return report === 'sent' || report === 'delivered' ? report : null
  if (before === 'failed') return report === 'delivered' && parts === 1 ? report : null
  if (report === 'failed') return before === 'delivered' && parts === 1 ? null : report
  if (report === 'canceled') return before === 'pending' ? report : null
  return ranks[report] > ranks[before] ? report : null
}

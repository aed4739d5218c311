import type { Receipt } from '../../connector.ts'

/** What a delivery report says about its part; null while the network still tries. */
export type ReportMeaning = Pick<Receipt, 'result' | 'code'> | null

const undelivered = (code: string): ReportMeaning => ({ result: 'undelivered', code })
const serviceRejected = 0x63

const meanings: ReadonlyMap<number, ReportMeaning> = new Map([
  [0x00, { result: 'delivered', code: null }],
  // Forwarded, but not confirmed; replaced in the network.
  [0x01, { result: 'lost', code: null }],
  [0x02, { result: 'lost', code: null }],
  [0x42, undelivered('recipient_blocked')],
  [0x43, undelivered('unreachable')],
  [0x46, undelivered('expired_in_network')],
  [0x60, undelivered('network_congested')],
  [0x61, undelivered('unreachable')],
  [0x62, undelivered('unreachable')],
  [serviceRejected, undelivered('recipient_blocked')],
  [0x65, undelivered('unreachable')],
])

/**
 * Returns what a TP-ST means (3GPP TS 23.040, section 9.2.3.15). Only 0 says that the part arrived. Reserved values
 * are read as "service rejected", as the standard requires; those of a network's own after a completed transaction
 * say nothing about the recipient.
 */
export function meaningOf(status: number): ReportMeaning {
  const known = meanings.get(status)
  if (known !== undefined) return known
  if (status >= 0x10 && status < 0x20) return { result: 'lost', code: null }
  if (status >= 0x20 && status < 0x40) return null
  if (status >= 0x40 && status < 0x80) return undelivered('network_rejected')
  return meanings.get(serviceRejected) ?? null
}

import type { Outcome, RefusalReason } from '../connector.ts'
import { type ResultMeaning, sendResults } from './send-results.ts'

/**
 * What `Failed` of the app means for the message: nothing was sent, it may have been sent, or it was sent and
 * will not arrive.
 */
export type FailureVerdict =
  | Extract<Outcome, { kind: 'refused' | 'unknown' }>
  | { kind: 'undelivered'; code: string; networkCode: string | null }

/**
 * Parses the text with which the app (1.40 to 1.68, `processStateIntent` of its MessagesService.kt) explains
 * a failed message. What comes from a delivery report is undelivered. For a text of several parts a failure
 * of one says nothing about the others. An unrecognised text is unknown.
 */
export function judgeFailure(error: string | null, { parts }: { parts: number }): FailureVerdict {
  const words = (error ?? '').trim()
  const report = deliveryReport.exec(words)
  if (report !== null) return undelivered(report)
  const result = resultIn(words)
  if (result !== null) return verdictOf(result, parts)
  if (isExpiry(words)) return refused('expired', 'expired_in_queue', 'TTL expired')
  if (/\bSIM \d+ not found/i.test(words)) return refused('now', 'no_service', 'SIM not found')
  if (/^(?:sendSMS|Can't send message)\b/i.test(words))
    return refused('now', 'device_error', exceptionIn(words))
  const code = codeIn(words)
  return unknown(`The phone reported a failure without a reason${code === null ? '' : ` (${code})`}.`, code)
}

/**
 * Returns whose fault a failure is: of the phone with its SIM and network, of the message, or of the
 * recipient (sent, but not delivered).
 */
export function whomFailureBlames(error: string | null): 'phone' | 'message' | 'recipient' {
  if (deliveryReport.test((error ?? '').trim())) return 'recipient'
  // What a network rejects, it usually rejects because of the SIM.
  if (resultIn(error ?? '')?.class === 'rejected') return 'phone'
  const verdict = judgeFailure(error, { parts: 1 })
  return verdict.kind === 'refused' && verdict.lasts !== 'now' ? 'message' : 'phone'
}

/** Whether the validity ended by the phone's own clock before it was sent. */
export const isExpiry = (error: string | null): boolean => /^\s*ttl expired/i.test(error ?? '')

/**
 * `Delivery result from SC +491710760000: 70`, with the TP-Status of the report, whose service centre may be
 * `null`; and `Delivery result: 1`, with a result of Android if it gave the app no report.
 */
const deliveryReport = /^delivery result(?<ofReport> from sc\b[^:]*)?(?:\s*:\s*(?<number>-?\d{1,10})\b)?/i

interface Result extends ResultMeaning {
  name: string
}

function verdictOf(result: Result, parts: number): FailureVerdict {
  const { name, code } = result
  if (parts > 1 || result.class === 'unknown') {
    const verdict = unknown(`The phone could not determine whether it was sent (${name}).`, name)
    return result.class === 'limit' ? { ...verdict, limitReached: true } : verdict
  }
  // Nothing was sent, and another phone might be able to: the client decides whether to resend it.
  if (result.class === 'rejected') return { ...refused('good', code, name), deviceAlone: true }
  if (result.class === 'limit') return { ...refused('busy', code, name), limitReached: true }
  return refused(result.class, code, name)
}

const unknown = (detail: string, networkCode: string | null): Extract<Outcome, { kind: 'unknown' }> => ({
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail,
  answered: { networkCode },
})

const refused = (
  lasts: RefusalReason['lasts'],
  code: string,
  networkCode: string | null,
): Extract<Outcome, { kind: 'refused' }> => ({
  kind: 'refused',
  lasts,
  code,
  networkCode,
})

const byNumber: ReadonlyMap<number, Result> = new Map(
  Object.entries(sendResults).map(([name, meaning]) => [meaning.number, { name, ...meaning }]),
)
const byName: ReadonlyMap<string, Result> = new Map(
  [...byNumber.values()].map((result) => [result.name, result]),
)

/** By name, or by number where the app does not know the name. */
function resultIn(words: string): Result | null {
  const name = /\bRESULT_[A-Z0-9_]+/.exec(words)?.[0]
  if (name !== undefined) return byName.get(name) ?? null
  const number = /\bunknown error code: (\d{1,9})\b/i.exec(words)?.[1]
  return number === undefined ? null : (byNumber.get(Number(number)) ?? null)
}

/** A vendor's result that is in no table, by its name or number. */
function codeIn(words: string): string | null {
  const number = /\berror code: (\d{1,9})\b/i.exec(words)?.[1]
  return /\bRESULT_[A-Z0-9_]{1,80}/.exec(words)?.[0] ?? (number === undefined ? null : `result ${number}`)
}

/** The name and text of an exception contain neither message nor number; anything that looks like one is cut. */
const exceptionIn = (words: string): string | null =>
  words
    .replace(/^(?:sendSMS|Can't send message)\W*/i, '')
    .replace(/\+?\d{5,}/g, '…')
    .slice(0, 100) || null

/** Returns what the network reports about a message that it had accepted. */
function undelivered({ groups = {} }: RegExpExecArray): FailureVerdict {
  if (groups['number'] === undefined) return { kind: 'undelivered', code: 'unreachable', networkCode: null }
  const number = Number(groups['number'])
  if (groups['ofReport'] === undefined) {
    const networkCode = byNumber.get(number)?.name ?? `result ${number}`
    return { kind: 'undelivered', code: 'unreachable', networkCode }
  }
  const code = codeOfStatus.get(number) ?? 'unreachable'
  return { kind: 'undelivered', code, networkCode: `tp_status ${number}` }
}

/**
 * 3GPP TS 23.040, section 9.2.3.15: 0x40 to 0x4f are permanent errors, 0x60 to 0x6f temporary errors after
 * which the SC makes no more attempts.
 */
const codeOfStatus: ReadonlyMap<number, string> = new Map([
  [0x40, 'network_rejected'],
  [0x41, 'network_rejected'],
  [0x42, 'network_rejected'],
  [0x45, 'network_rejected'],
  [0x46, 'expired_in_network'],
  [0x47, 'network_rejected'],
  [0x48, 'network_rejected'],
  [0x60, 'network_congested'],
  [0x63, 'network_rejected'],
])

/**
 * The meaning of a status word or a state in a receipt. `result` is null when it is not final: a final one is
 * awaited.
 */
export type Verdict = { result: 'delivered' | 'undelivered'; code: string | null } | { result: null }

/** What an operator defines that a word means, by the word in capitals. */
export type ReceiptWords = ReadonlyMap<string, 'delivered' | 'undelivered' | 'open'>

const notFinal: Verdict = { result: null }
const delivered: Verdict = { result: 'delivered', code: null }
const failed = (code: string) => ({ result: 'undelivered', code }) as const

/**
 * Section 5.2.28, with SCHEDULED and SKIPPED of 5.0. UNKNOWN means nothing: the wait for a final state
 * expires by itself.
 */
const verdictOfState: readonly Verdict[] = [
  notFinal, // SCHEDULED
  notFinal, // ENROUTE
  delivered, // DELIVERED
  failed('expired_in_network'), // EXPIRED
  failed('network_rejected'), // DELETED
  failed('unreachable'), // UNDELIVERABLE
  notFinal, // ACCEPTED
  notFinal, // UNKNOWN
  failed('network_rejected'), // REJECTED
  failed('network_rejected'), // SKIPPED
]

/** By `message_state`; null for a state that no standard defines. */
export const judgeState = (state: number): Verdict | null => verdictOfState[state] ?? null

/**
 * Words of appendix B by how they begin: carriers cut them to 7 letters, or not. Some that are not final are
 * from appendix B, too, or from manuals: BUFFRED at smscentral.com.au (sms-api/smpp/receive-dlrs), SCHEDLD at
 * Melrose Labs, NULL at PSWinCom, for "no report arrived"; the others mean that the message is in progress.
 */
const verdictOfWord: readonly [beginning: string, verdict: Verdict][] = [
  ['DELIV', delivered],
  ['UNDELIV', failed('unreachable')],
  ['EXPIRED', failed('expired_in_network')],
  ['DELETED', failed('network_rejected')],
  ['REJECT', failed('network_rejected')],
  ['SKIPPED', failed('network_rejected')],
  ['FAIL', failed('unknown')],
  ...[
    'ENROUT', 'EN_ROUT', 'ACCEPT', 'ACKED', 'BUFF', 'SCHED', 'UNKNOW', 'NULL', 'SUBMIT', 'SENT', 'PEND', 'QUEUE', 'RETR', 'PROCESS', 'TRANSIT',
  ].map((beginning): [string, Verdict] => [beginning, notFinal]),
] // prettier-ignore

/**
 * Returns what a status word means: by the operator's `words`, by the table, or as `message_state` where it
 * is a number; null if unknown.
 */
export function judgeWord(stat: string, words: ReceiptWords): Verdict | null {
  const word = stat.toUpperCase()
  const defined = words.get(word)
  if (defined !== undefined)
    return defined === 'open' ? notFinal : defined === 'delivered' ? delivered : failed('unknown')
  if (/^\d+$/.test(word)) return judgeState(Number(word))
  return verdictOfWord.find(([beginning]) => word.startsWith(beginning))?.[1] ?? null
}

/**
 * Carriers have their own words for a final failure (BARRED, NOCRED, SYSERR): in a final receipt an unknown
 * word is of that kind.
 */
export const ownEnd: Verdict = failed('unknown')

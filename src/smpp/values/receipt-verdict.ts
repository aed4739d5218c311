/** What a word or a state of a receipt says. `result` is null when it is no end: a better word is waited for. */
export type Verdict = { result: 'delivered' | 'undelivered'; code: string | null } | { result: null }

/** What an operator says that a word means, by the word in capitals. */
export type ReceiptWords = ReadonlyMap<string, 'delivered' | 'undelivered' | 'open'>

const noEnd: Verdict = { result: null }
const delivered: Verdict = { result: 'delivered', code: null }
const failed = (code: string) => ({ result: 'undelivered', code }) as const

/** Section 5.2.28, with SCHEDULED and SKIPPED of 5.0. UNKNOWN says nothing: the wait for a better word ends by itself. */
const verdictOfState: readonly Verdict[] = [
  noEnd, // SCHEDULED
  noEnd, // ENROUTE
  delivered, // DELIVERED
  failed('expired_in_network'), // EXPIRED
  failed('network_rejected'), // DELETED
  failed('unreachable'), // UNDELIVERABLE
  noEnd, // ACCEPTED
  noEnd, // UNKNOWN
  failed('network_rejected'), // REJECTED
  failed('network_rejected'), // SKIPPED
]

/** By `message_state`; null for a state that no standard has. */
export const judgeState = (state: number): Verdict | null => verdictOfState[state] ?? null

/**
 * Words of appendix B by how they begin: carriers cut them at 7 letters, or not. Those that are no end are of it, too, or of manuals: BUFFRED at
 * smscentral.com.au (sms-api/smpp/receive-dlrs), SCHEDLD at Melrose Labs, NULL at PSWinCom, for "no report came"; the others say by themselves that
 * the message is on its way.
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
  ].map((beginning): [string, Verdict] => [beginning, noEnd]),
] // prettier-ignore

/** What a word of a text means: by the operator's `words`, by the table, or as `message_state` where it is a number; null where nobody knows. */
export function judgeWord(stat: string, words: ReceiptWords): Verdict | null {
  const word = stat.toUpperCase()
  const said = words.get(word)
  if (said !== undefined)
    return said === 'open' ? noEnd : said === 'delivered' ? delivered : failed('unknown')
  if (/^\d+$/.test(word)) return judgeState(Number(word))
  return verdictOfWord.find(([beginning]) => word.startsWith(beginning))?.[1] ?? null
}

/** Carriers have words of their own for an end (BARRED, NOCRED, SYSERR): where a receipt tells an end, one that nobody knows is of that kind. */
export const ownEnd: Verdict = failed('unknown')

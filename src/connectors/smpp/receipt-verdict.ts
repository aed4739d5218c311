/** What a word or a state of a receipt says. `result` is null when it is no end: a better word is waited for. */
export type Verdict =
  | { result: null }
  | {
      result: 'delivered' | 'undelivered'
      code: string | null
      /** It is a word of the carrier's own, that nobody has explained. */
      isOwn?: true
    }

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

/** By `message_state`; a state that no standard has is no end. */
export const judgeState = (state: number): Verdict => verdictOfState[state] ?? noEnd

/**
 * Words of appendix B by how they begin: carriers cut them at 7 letters, or not. Those that are no end are of it, too, or of manuals: BUFFRED at
 * smscentral.com.au (sms-api/smpp/receive-dlrs), SCHEDLD at Melrose Labs, NULL at PSWinCom, for "no report came".
 */
const verdictOfWord: readonly [beginning: string, verdict: Verdict][] = [
  ['DELIV', delivered],
  ['UNDELIV', failed('unreachable')],
  ['EXPIRED', failed('expired_in_network')],
  ['DELETED', failed('network_rejected')],
  ['REJECT', failed('network_rejected')],
  ['SKIPPED', failed('network_rejected')],
  ['FAIL', failed('unknown')],
  ['ENROUT', noEnd],
  ['ACCEPT', noEnd],
  ['ACKED', noEnd],
  ['BUFF', noEnd],
  ['SCHED', noEnd],
  ['UNKNOWN', noEnd],
  ['NULL', noEnd],
]

/**
 * By the word of a text. Carriers have words of their own for an end (BARRED, NOCRED, SYSERR): one that is nowhere known is an end of that kind, and
 * `isOwn`. A word of `words` is what the operator says.
 */
export function judgeWord(stat: string, words: ReceiptWords): Verdict {
  const word = stat.toUpperCase()
  const said = words.get(word)
  if (said !== undefined)
    return said === 'open' ? noEnd : said === 'delivered' ? delivered : failed('unknown')
  return (
    verdictOfWord.find(([beginning]) => word.startsWith(beginning))?.[1] ?? {
      ...failed('unknown'),
      isOwn: true,
    }
  )
}

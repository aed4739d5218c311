import type { ModelDevice } from './model-purses.ts'

/** How long late words are kept for what may still be reported on. */
export const correctionMs = 7 * 86_400_000

/** What pays: the balance, nothing because only own devices go, or the balance unless an own device goes. */
export type ModelPurse = 'balance' | 'own' | 'fallback'

/** What the model knows of a message, and what can become of an attempt. */
export interface ModelMessage {
  id: string
  account: string
  parts: number
  /** Its encoding was chosen: it goes by another route. */
  isForced: boolean
  resendOnce: boolean
  purse: ModelPurse
  /** What has paid, once it is charged. */
  paidBy: 'balance' | 'own_device'
  /** The device of each attempt. */
  devices: Map<number, ModelDevice>
  priority: number
  dueAt: number
  expiresAt: number
  status: string
  charged: number
  /** What its cost says; while `held`, its parts are reserved. */
  cost: 'held' | 'charged' | 'partial' | 'released'
  isFinal: boolean
  /** When it came to its last state, once it is final. */
  settledAt: number
  wasCorrected: boolean
  /** The network is known to have taken all of it. */
  wasSent: boolean
  wentAgain: boolean
  attempts: number
  /** The last word on each of them that has ended. */
  words: Map<number, AttemptWord>
  /** How many ids that word told. */
  told: Map<number, number>
  /** Attempts of which that word promised receipts. */
  promised: Set<number>
  /** Attempts of which somebody has told an end. */
  ended: Set<number>
  /** Attempts whose answer may still come, or be corrected to a yes, and how many of their parts had told their ids. */
  lost: Map<number, number>
  refusals: number
  /** Parts that the network is known to have taken, in whichever attempt took the most. */
  partsTaken: number
  /** That attempt; 0 without one. */
  takenBy: number
  /** A restore holds it back. */
  heldBack: boolean
  createdAt: number
  /** Wire parts that the network may still report on. */
  waitedFor: Map<string, WaitedPart>
}

/** That it was taken, that nobody knows, that nothing was submitted, or that only a part was. */
export type AttemptWord = 'taken' | 'unknown' | 'nothing' | 'partly'

export interface WaitedPart {
  attempt: number
  /** Whether receipts for all of them mean that the whole message arrived. */
  isWhole: boolean
  /** Whether they will, once the parts in doubt beside them are known to be taken. */
  isWholeAfterYes: boolean
  /** When the wait was given up; a late word still counts for 7 days. */
  closedAt: number | null
}

export interface ParkedWord {
  result: ReceiptResult
  at: number
}

export interface ModelWallet {
  granted: number
  used: number
  ownUsed: number
}

export type ReceiptResult = 'delivered' | 'undelivered' | 'lost'

/** How an attempt ended, as a connector says it. */
export type ModelOutcome =
  | { kind: 'accepted'; wireParts: number; receipts: boolean }
  | { kind: 'refused'; lasts: 'good' | 'now' | 'busy' | 'expired' }
  | { kind: 'partial'; partsTaken: number; wireParts: number; receipts: boolean }
  | { kind: 'unavailable' }
  | { kind: 'unknown'; partsTaken: number; wireParts: number }

export type LateYes = Extract<ModelOutcome, { kind: 'accepted' }>

/** Network ids that can be told before the outcome is: receipts may overtake it. */
export const networkIdsOf = (messageId: string, attempt: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `net_${messageId}_${attempt}_${i + 1}`)

/** How the record of an attempt reads that ended so. */
export function wordOf(outcome: ModelOutcome): AttemptWord {
  if (outcome.kind === 'accepted') return 'taken'
  if (outcome.kind === 'unknown') return 'unknown'
  return outcome.kind === 'partial' && outcome.partsTaken + outcome.wireParts > 0 ? 'partly' : 'nothing'
}

/** Behind this try nothing was submitted, and none is open. */
export const isLastSubmitted = ({ attempts, words }: ModelMessage, number: number): boolean =>
  later(number, attempts).every((each) => words.get(each) === 'nothing')

/** Nobody knows yet what became of its last try, or it waits for one more. */
export const isOpen = ({ status, wasSent }: ModelMessage): boolean =>
  status === 'queued' || status === 'sending' || (status === 'unconfirmed' && !wasSent)

const later = (number: number, last: number): number[] =>
  Array.from({ length: last - number }, (_, i) => number + 1 + i)

/** The try before `number` that was taken meanwhile, with nothing submitted between the two. */
export function takenBefore({ words }: ModelMessage, number: number): number | null {
  const before = later(0, number - 1).findLast((each) => words.get(each) !== 'nothing')
  return before !== undefined && words.get(before) === 'taken' ? before : null
}

/** The ids of a try under which receipts may still come. */
export const waitedBefore = ({ id, told, waitedFor }: ModelMessage, number: number): string[] =>
  networkIdsOf(id, number, told.get(number) ?? 0).filter(
    (networkId) => waitedFor.get(networkId)?.attempt === number,
  )

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
  wentAgain: boolean
  attempts: number
  /** All that is known of each attempt, by number. */
  tries: Map<number, ModelTry>
  /** Attempts of which somebody has told an end. */
  ended: Set<number>
  /** Attempts whose answer may still come, or be corrected to a yes, and how many of their parts had told their ids. */
  lost: Map<number, number>
  refusals: number
  /** Parts that the network was known to have taken when the message last moved. */
  partsTaken: number
  /** A restore holds it back. */
  heldBack: boolean
  createdAt: number
  /** Parts that the network may still report on, by id. */
  waitedFor: Map<string, WaitedPart>
}

/** That it is open, that nobody knows, that nothing was submitted, or a part, or all. */
export type AttemptWord = 'open' | 'unknown' | 'nothing' | 'partly' | 'taken'

/** What counts more: a word of the same rank is a repeat. */
export const rankOf = (word: AttemptWord): number =>
  ({ open: 0, unknown: 1, nothing: 2, partly: 2, taken: 3 })[word]

export interface ModelTry {
  word: AttemptWord
  ids: readonly string[]
  /** How many receipts mean that all of it arrived; 0 if some parts can have none. */
  wireParts: number
  partsTaken: number
  /** Receipts are promised. */
  receipts: boolean
  /** The best word on each part. */
  heard: Map<string, ReceiptResult>
}

export interface WaitedPart {
  attempt: number
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

export const newTry = (): ModelTry => ({
  word: 'open',
  ids: [],
  wireParts: 0,
  partsTaken: 0,
  receipts: false,
  heard: new Map(),
})

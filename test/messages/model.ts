import {
  correctionMs,
  type LateYes,
  type ModelMessage,
  type ModelOutcome,
  type ModelTry,
  type ModelWallet,
  networkIdsOf,
  newTry,
  type ParkedWord,
  rankOf,
  type ReceiptResult,
  wordOf,
} from './model-message.ts'
import { afterAttempt, isWaitedFor, ModelMoves } from './model-moves.ts'
import { heldIn, type ModelDevice } from './model-purses.ts'
import { type ClaimWish, goingNow, type SimRoom } from './model-paces.ts'

/**
 * What messages and money should do, told as simply as possible and without a look at src/messages: one object a message, no sets, no
 * SQL, no table of states. `model.test.ts` holds the real store against it.
 */
const dayMs = 86_400_000
const capDay = (account: string, atMs: number): string => `${account}/${Math.floor(atMs / dayMs)}`

/** A device cannot have taken more parts than there are. */
const takenOf = (outcome: ModelOutcome, { parts }: ModelMessage): number =>
  outcome.kind === 'accepted' ? parts : 'partsTaken' in outcome ? Math.min(parts, outcome.partsTaken) : 0

export class Model {
  readonly #moves: ModelMoves
  readonly wallets = new Map<string, ModelWallet>()
  readonly messages = new Map<string, ModelMessage>()
  /** Receipts that nobody waits for yet. */
  readonly parked = new Map<string, ParkedWord>()
  /** Sends by account and Idempotency-Key. */
  readonly keys = new Map<string, { sendId: string; messageIds: readonly string[]; createdAt: number }>()

  /** Parts reserved by sends with a daily cap, by account and day. */
  readonly capped = new Map<string, number>()

  /** `now` is the time by which messages settle. */
  constructor(now: () => number) {
    this.#moves = new ModelMoves(now, ({ account, paidBy }, sms) => {
      this.wallet(account)[paidBy === 'balance' ? 'used' : 'ownUsed'] += sms
    })
  }

  reserved(account: string, payer: ModelMessage['paidBy'] = 'balance'): number {
    return heldIn(this.#of(account), payer)
  }

  available(account: string): number {
    const { granted, used } = this.wallet(account)
    return granted - used - this.reserved(account)
  }

  wallet(account: string): ModelWallet {
    const wallet = this.wallets.get(account)
    if (wallet === undefined) throw new Error(`the model has no account ${account}`)
    return wallet
  }

  message(id: string): ModelMessage {
    const message = this.messages.get(id)
    if (message === undefined) throw new Error(`the model has no message ${id}`)
    return message
  }

  /** What a claim gets, wish by wish, in order, and over which SIM. */
  claimable(
    wishes: readonly ClaimWish[],
    sims: readonly SimRoom[] | null,
    nowMs: number,
  ): { id: string; sim: number | null }[] {
    return goingNow((account) => this.#of(account), wishes, { sims, nowMs })
  }

  /** How many messages of an account wait, whatever they wait for. */
  waiting(account: string): number {
    return this.#of(account).filter(({ status }) => status === 'queued').length
  }

  /** What a key with a daily cap has reserved on the day (UTC) of that moment. */
  capUsed(account: string, atMs: number): number {
    return this.capped.get(capDay(account, atMs)) ?? 0
  }

  useCap(account: string, atMs: number, parts: number): void {
    this.capped.set(capDay(account, atMs), this.capUsed(account, atMs) + parts)
  }

  claim(id: string, device: ModelDevice): void {
    const message = this.message(id)
    message.status = 'sending'
    message.attempts += 1
    message.devices.set(message.attempts, device)
    message.tries.set(message.attempts, newTry())
  }

  /** A report on attempt `number`, which may be late, or said twice. */
  end(id: string, number: number, outcome: ModelOutcome, nowMs: number): void {
    const message = this.message(id)
    const one = message.tries.get(number) as ModelTry
    const networkIds = 'wireParts' in outcome ? networkIdsOf(id, number, outcome.wireParts) : []
    const apart = rankOf(wordOf(outcome)) - rankOf(one.word)
    if (apart > 0) this.#raise(message, number, { outcome, networkIds }, nowMs)
    // It counts less, and still tells of parts that were taken.
    const mayAdd = apart < 0 ? one.word !== 'taken' : apart === 0 && one.word === 'unknown'
    if (mayAdd && takenOf(outcome, message) > one.partsTaken) {
      one.partsTaken = takenOf(outcome, message)
      if (one.word === 'nothing') one.word = 'partly'
      this.#moves.judge(message)
    }
    this.#lose(message, number, outcome)
    this.#hearParked(message, networkIds, nowMs)
  }

  #raise(
    message: ModelMessage,
    number: number,
    { outcome, networkIds }: { outcome: ModelOutcome; networkIds: readonly string[] },
    nowMs: number,
  ): void {
    const one = message.tries.get(number) as ModelTry
    const after = one.word === 'open' ? afterAttempt(message, outcome, nowMs) : null
    const known = new Set(one.ids)
    const isTold = outcome.kind === 'unknown' || ('receipts' in outcome && outcome.receipts)
    if (networkIds.length > 0) {
      one.ids = networkIds
      one.wireParts = outcome.kind === 'unknown' && networkIds.length < message.parts ? 0 : networkIds.length
    }
    if (outcome.kind === 'partial' && networkIds.length > 0) one.wireParts = 0
    if (outcome.kind === 'accepted') one.wireParts = one.ids.length
    const word = wordOf(outcome)
    // Of what the network gave an id nobody says that it was not submitted.
    one.word = word === 'nothing' && one.ids.length + one.partsTaken > 0 ? 'partly' : word
    one.receipts = isTold && networkIds.length > 0
    one.partsTaken = Math.max(one.partsTaken, takenOf(outcome, message))
    const { fate, hasMoved } = this.#moves.judge(message, after?.standing)
    if (message.status === 'queued' && after?.again) Object.assign(message, after.again)
    const isAwaited = isWaitedFor(message) && fate.by === number && one.receipts
    for (const networkId of isTold ? networkIds : [])
      if (!known.has(networkId))
        message.waitedFor.set(networkId, { attempt: number, closedAt: isAwaited ? null : nowMs })
    this.#waitAnew(message, fate.by)
    if (hasMoved) this.#closeIfFinal(message, nowMs)
  }

  /** What it waits for is what the deciding try has not heard of, also where that was forgotten. */
  #waitAnew(message: ModelMessage, by: number): void {
    const one = message.tries.get(by)
    if (!isWaitedFor(message) || one?.receipts !== true) return
    for (const id of one.ids)
      if (!one.heard.has(id)) message.waitedFor.set(id, { attempt: by, closedAt: null })
  }

  /** Once it has ended after several tries nobody waits for the other receipts; a correction to `sent` waits for its own. */
  #closeIfFinal(message: ModelMessage, nowMs: number): void {
    if (!message.isFinal || message.attempts === 1 || isWaitedFor(message)) return
    for (const part of message.waitedFor.values()) part.closedAt ??= nowMs
  }

  /** An answer is outstanding while all that was said of an attempt is that nobody knows; a phone may correct that it let go of one. */
  #lose(message: ModelMessage, number: number, outcome: ModelOutcome): void {
    const isFirst = !message.ended.has(number)
    message.ended.add(number)
    const word = wordOf(outcome)
    if (isFirst && (word === 'unknown' || word === 'nothing'))
      message.lost.set(number, 'wireParts' in outcome ? outcome.wireParts : 0)
    else if (word !== 'unknown') message.lost.delete(number)
  }

  /** The answer to attempt `number`, which was given up, comes after all, with the ids of all parts. */
  lateYes(id: string, number: number, yes: LateYes, nowMs: number): void {
    this.end(id, number, yes, nowMs)
  }

  /** That of an attempt of which nobody knew nothing was submitted. */
  lateNo(id: string, number: number, nowMs: number): void {
    this.end(id, number, { kind: 'unavailable' }, nowMs)
  }

  /** Receipts for parts of one message that come together. */
  receipts(id: string, results: ReadonlyMap<string, ReceiptResult>, nowMs: number): void {
    const words = [...results].map(([networkId, result]) => ({ networkId, result, at: nowMs }))
    this.#hear(this.message(id), words, nowMs)
  }

  #hearParked(message: ModelMessage, networkIds: readonly string[], nowMs: number): void {
    const words = networkIds.flatMap((networkId) => {
      const word = this.parked.get(networkId)
      return word === undefined ? [] : [{ networkId, ...word }]
    })
    for (const { networkId } of words) this.parked.delete(networkId)
    this.#hear(message, words, nowMs)
  }

  #hear(message: ModelMessage, words: readonly (ParkedWord & { networkId: string })[], nowMs: number): void {
    const known = words.filter(({ networkId }) => message.waitedFor.has(networkId))
    for (const { networkId, ...word } of words.filter((each) => !known.includes(each)))
      if ((this.parked.get(networkId)?.at ?? -Infinity) <= word.at - 600_000) this.parked.set(networkId, word)
    if (known.length === 0) return
    for (const { networkId, result } of known) {
      const part = message.waitedFor.get(networkId)!
      const { heard } = message.tries.get(part.attempt) as ModelTry
      const better = ['lost', 'undelivered', 'delivered'] as const
      const before = heard.get(networkId)
      if (before === undefined || better.indexOf(result) > better.indexOf(before))
        heard.set(networkId, result)
      // A better word may follow one that it did not arrive.
      if (result === 'delivered') message.waitedFor.delete(networkId)
      else part.closedAt ??= nowMs
    }
    const { hasMoved } = this.#moves.judge(message)
    if (hasMoved && message.isFinal) for (const part of message.waitedFor.values()) part.closedAt ??= nowMs
  }

  /** Validity has ended for what waits. */
  expire(nowMs: number): void {
    for (const message of this.messages.values())
      if (message.status === 'queued' && !message.heldBack && message.expiresAt <= nowMs)
        this.#moves.finish(message, 'expired')
  }

  /** What of an account, or of all that a restore holds, is ended before anybody submitted it. */
  stopWaiting(which: (message: ModelMessage) => boolean, status: 'canceled' | 'unconfirmed'): void {
    for (const message of this.messages.values())
      if (message.status === 'queued' && which(message)) this.#moves.finish(message, status)
  }

  /** The wait for receipts of what was sent before `sentBefore` is over; what was given up 7 days ago is forgotten. */
  giveUpReceipts(nowMs: number): void {
    for (const [networkId, { at }] of this.parked) if (at <= nowMs - 3 * dayMs) this.parked.delete(networkId)
    for (const message of this.messages.values()) {
      for (const [networkId, { closedAt }] of message.waitedFor)
        if (closedAt !== null && closedAt <= nowMs - correctionMs) message.waitedFor.delete(networkId)
      const open = [...message.waitedFor].filter(([, { closedAt }]) => closedAt === null)
      for (const [networkId, part] of open) {
        part.closedAt = nowMs
        const { heard } = message.tries.get(part.attempt) as ModelTry
        if (!heard.has(networkId)) heard.set(networkId, 'lost')
      }
      if (open.length > 0) this.#moves.judge(message)
    }
  }

  /** Records are removed after 90 days, when nothing became of them for 10, and keys after 7 when their messages are final. */
  forget(nowMs: number): void {
    for (const [name, key] of this.keys) {
      const isWaiting = key.messageIds.some((id) => this.messages.get(id)?.isFinal === false)
      if (!isWaiting && key.createdAt <= nowMs - 7 * dayMs) this.keys.delete(name)
    }
    for (const [id, message] of this.messages)
      if (message.isFinal && message.createdAt < nowMs - 90 * dayMs && message.settledAt < nowMs - 10 * dayMs)
        this.messages.delete(id)
  }

  #of(account: string): ModelMessage[] {
    return [...this.messages.values()].filter((message) => message.account === account)
  }
}

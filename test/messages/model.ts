import {
  correctionMs,
  isLastSubmitted,
  isOpen,
  type LateYes,
  type ModelMessage,
  type ModelOutcome,
  type ModelWallet,
  networkIdsOf,
  takenBefore,
  waitedBefore,
  wordOf,
  type ParkedWord,
  type ReceiptResult,
  type WaitedPart,
} from './model-message.ts'
import { ModelMoves } from './model-moves.ts'
import { heldIn, type ModelDevice } from './model-purses.ts'
import { type ClaimWish, goingNow, type SimRoom } from './model-paces.ts'

/**
 * What messages and money should do, told as simply as possible and without a look at src/messages: one object a message, no sets, no
 * SQL, no table of states. `model.test.ts` holds the real store against it.
 */
const dayMs = 86_400_000
const capDay = (account: string, atMs: number): string => `${account}/${Math.floor(atMs / dayMs)}`

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
  }

  /** The end of attempt `number`, which may be an old one, or said twice. */
  end(id: string, number: number, outcome: ModelOutcome, nowMs: number): void {
    const message = this.message(id)
    const isLate = message.words.get(number) === 'unknown' && outcome.kind === 'accepted'
    const word = wordOf(outcome)
    const first = word === 'nothing' ? this.#countable(message, number) : null
    if (isLate) this.#endDoubt(message, number)
    if (first !== null) this.#countYes(message, first, nowMs)
    else if (message.attempts === number || (isLate && isLastSubmitted(message, number)))
      this.#moves.by(message, { number, outcome, isLate }, nowMs)
    this.#say(message, number, outcome)
    this.#lose(message, number, outcome)
    if (first !== null) this.#hearParked(message, waitedBefore(message, first))
    if (!('wireParts' in outcome)) return
    const networkIds = networkIdsOf(id, number, outcome.wireParts)
    if (outcome.kind === 'unknown' || outcome.receipts) {
      const closedAt = message.status === 'sent' ? null : nowMs
      const isWhole =
        outcome.kind === 'accepted' || (outcome.kind === 'unknown' && outcome.wireParts >= message.parts)
      const isWholeAfterYes =
        isWhole || (outcome.kind === 'unknown' && outcome.partsTaken <= outcome.wireParts)
      const part: WaitedPart = { attempt: number, isWhole, isWholeAfterYes, closedAt }
      for (const networkId of networkIds) message.waitedFor.set(networkId, { ...part })
    }
    this.#hearParked(message, networkIds)
  }

  /** The kept yes that counts when nothing was submitted of the try `number`. */
  #countable(message: ModelMessage, number: number): number | null {
    return message.attempts === number && isOpen(message) ? takenBefore(message, number) : null
  }

  /** A yes to an earlier try that is evidence alone says all the same that its parts were taken. */
  #endDoubt(message: ModelMessage, number: number): void {
    if (message.attempts === number) return
    for (const part of message.waitedFor.values())
      if (part.attempt === number) part.isWhole = part.isWholeAfterYes
  }

  #say(message: ModelMessage, number: number, outcome: ModelOutcome): void {
    const wireParts = 'wireParts' in outcome ? outcome.wireParts : 0
    message.words.set(number, wordOf(outcome))
    message.told.set(number, wireParts)
    if ('receipts' in outcome && outcome.receipts && wireParts > 0) message.promised.add(number)
    else message.promised.delete(number)
  }

  /** The yes to a first try that came while the second was open: nothing of that one was submitted, and no third goes. */
  #countYes(message: ModelMessage, first: number, nowMs: number): void {
    const waited = waitedBefore(message, first)
    const receipts = message.promised.has(first)
    const before = message.status
    this.#moves.by(
      message,
      { number: first, outcome: { kind: 'accepted', wireParts: waited.length, receipts }, isLate: true },
      nowMs,
    )
    if (!receipts || message.status === before) return
    const part = { attempt: first, isWhole: true, isWholeAfterYes: true, closedAt: null }
    for (const networkId of waited) message.waitedFor.set(networkId, { ...part })
    if (waited.length === 0) this.#moves.report(message, 'lost', first)
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

  /** The answer to attempt `number`, which was given up, comes after all, with the ids of all parts; `told` of them were told before. */
  lateYes(id: string, number: number, { told, yes }: { told: number; yes: LateYes }, nowMs: number): void {
    const message = this.message(id)
    const before = message.status
    const isCurrent = isLastSubmitted(message, number)
    this.#endDoubt(message, number)
    if (isCurrent) this.#moves.by(message, { number, outcome: yes, isLate: true }, nowMs)
    this.#say(message, number, yes)
    message.lost.delete(number)
    const hasMoved = message.status !== before
    // Sent by another try before: it waits for the receipts of both.
    const isSentTwice = isCurrent && before === 'sent' && !message.isFinal
    const closedAt = hasMoved || isSentTwice ? null : nowMs
    const part = { attempt: number, isWhole: true, isWholeAfterYes: true, closedAt }
    const networkIds = networkIdsOf(id, number, yes.wireParts)
    for (const [i, networkId] of networkIds.entries())
      if (yes.receipts && (i >= told || message.waitedFor.has(networkId)))
        message.waitedFor.set(networkId, { ...part })
    const isHeard = ![...message.waitedFor.values()].some(({ attempt }) => attempt === number)
    const isKept = !isCurrent && isOpen(message)
    // What can be reported was, before the yes.
    if (yes.receipts && (hasMoved || isKept) && isHeard) this.#moves.report(message, 'delivered', number)
    this.#hearParked(message, networkIds)
  }

  /** The same once more; of what stands as taken. */
  lateYesAgain(id: string, number: number, yes: LateYes): void {
    const message = this.message(id)
    this.#say(message, number, yes)
    this.#hearParked(message, networkIdsOf(id, number, yes.wireParts))
  }

  /** That of an attempt of which nobody knew nothing was submitted. */
  lateNo(id: string, number: number, nowMs: number): void {
    const message = this.message(id)
    const first = this.#countable(message, number)
    if (first !== null) this.#countYes(message, first, nowMs)
    this.#say(message, number, { kind: 'unavailable' })
    message.lost.delete(number)
    if (first !== null) this.#hearParked(message, waitedBefore(message, first))
  }

  /** Receipts of parts of one attempt that come together. */
  receipts(id: string, results: ReadonlyMap<string, ReceiptResult>, nowMs: number): void {
    const words = [...results].map(([networkId, result]) => ({ networkId, result, at: nowMs }))
    this.#hear(this.message(id), words)
  }

  #hearParked(message: ModelMessage, networkIds: readonly string[]): void {
    const words = networkIds.flatMap((networkId) => {
      const word = this.parked.get(networkId)
      return word === undefined ? [] : [{ networkId, ...word }]
    })
    for (const { networkId } of words) this.parked.delete(networkId)
    this.#hear(message, words)
  }

  #hear(message: ModelMessage, words: readonly (ParkedWord & { networkId: string })[]): void {
    const isHeard = ({ networkId, result }: (typeof words)[number]) => {
      const part = message.waitedFor.get(networkId)
      if (part === undefined) return false
      if (result === 'delivered') return true
      // While a later try waits a bad word says nothing: an answer may still come by which it is one on the message.
      if (message.status === 'queued') return false
      // So it is while the next one is open, or of unknown end.
      const isUnknown = message.status === 'unconfirmed' && !message.wasSent
      // It is no last word on a message that was sent by that try, before another turned out to be taken too.
      const isSentByIt = message.status === 'sent' && part.closedAt === null
      if (!isLastSubmitted(message, part.attempt))
        return message.status !== 'sending' && !isUnknown && !isSentByIt
      // That it is lost says nothing either, while it is not known to be sent.
      return !(isUnknown && result === 'lost')
    }
    const known = words.filter(isHeard)
    for (const { networkId, ...word } of words.filter((each) => !known.includes(each)))
      if ((this.parked.get(networkId)?.at ?? -Infinity) <= word.at - 600_000) this.parked.set(networkId, word)
    const first = known[0]
    if (first === undefined) return
    const { attempt, isWhole } = message.waitedFor.get(first.networkId)!
    for (const { networkId } of known) message.waitedFor.delete(networkId)
    const bad = known.find(({ result }) => result !== 'delivered')
    const left = [...message.waitedFor].filter(([, part]) => part.attempt === attempt)
    if (bad !== undefined) {
      for (const [networkId] of left) message.waitedFor.delete(networkId)
      // That a first try did not arrive says nothing of the second.
      if (isLastSubmitted(message, attempt)) this.#moves.report(message, bad.result, attempt)
    } else if (left.length === 0 && isWhole) this.#moves.report(message, 'delivered', attempt)
  }

  /** Validity has ended for what waits. */
  expire(nowMs: number): void {
    for (const message of this.messages.values())
      if (message.status === 'queued' && !message.heldBack && message.expiresAt <= nowMs)
        this.#moves.finish(message, 'expired', 0)
  }

  /** What of an account, or of all that a restore holds, is ended before anybody submitted it. */
  stopWaiting(which: (message: ModelMessage) => boolean, status: 'canceled' | 'unconfirmed'): void {
    for (const message of this.messages.values())
      if (message.status === 'queued' && which(message)) this.#moves.finish(message, status, 0)
  }

  /** The wait for receipts of what was sent before `sentBefore` is over; what was given up 7 days ago is forgotten. */
  giveUpReceipts(nowMs: number): void {
    for (const [networkId, { at }] of this.parked) if (at <= nowMs - 3 * dayMs) this.parked.delete(networkId)
    for (const message of this.messages.values()) {
      for (const [networkId, { closedAt }] of message.waitedFor)
        if (closedAt !== null && closedAt <= nowMs - correctionMs) message.waitedFor.delete(networkId)
      const open = [...message.waitedFor.values()].filter(({ closedAt }) => closedAt === null)
      for (const part of open) part.closedAt = nowMs
      if (open.length > 0 && message.status === 'sent') this.#moves.report(message, 'lost', message.attempts)
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

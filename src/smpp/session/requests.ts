import type { DeadlineTimer } from './deadline-timer.ts'
import { type Open, OpenList } from './open-list.ts'
import type { Bodies, Command, Pdu } from '../codec/pdu.ts'
import type { LateAnswer, RequestCommand, RequestOutcome } from './request-outcome.ts'
import type { SessionLimits } from './session-limits.ts'

type AnyOutcome = RequestOutcome<Command>
export type ControlCommand =
  | 'bind_transceiver'
  | 'bind_transmitter'
  | 'bind_receiver'
  | 'enquire_link'
  | 'unbind'
export type Settle = Open['settle']

/** A body, or what makes it as the request leaves, which may be long after it was asked for. */
export type Body<C extends Command> = Bodies[C] | (() => Bodies[C])

interface Asking {
  readonly command: RequestCommand | ControlCommand
  readonly body: Body<RequestCommand | ControlCommand>
  readonly settle: Settle
}

interface Waiting extends Asking {
  readonly untilMs: number
  readonly isWanted: (() => boolean) | undefined
}

interface Deps {
  alarm: Pick<DeadlineTimer, 'by'>
  limits: SessionLimits
  monotonicMs(): number
  /** When the octets came that are being looked at. */
  heardMs(): number
  send(pdu: Pdu): string | null
  /** Whether the peer takes what we send. */
  canSend(): boolean
  late(answer: LateAnswer): void
  /** An answer did not come in time: the peer is to be asked whether it lives. One that lost a single answer says so at once. */
  doubted(): void
  /** A request ended: there may be room for those that wait. */
  ended(): void
}

// Made once: a name that is put together for each request would have to be compared letter by letter.
const answers: Readonly<Record<RequestCommand | ControlCommand, Command>> = {
  bind_transceiver: 'bind_transceiver_resp',
  bind_transmitter: 'bind_transmitter_resp',
  bind_receiver: 'bind_receiver_resp',
  enquire_link: 'enquire_link_resp',
  unbind: 'unbind_resp',
  submit_sm: 'submit_sm_resp',
  data_sm: 'data_sm_resp',
  query_sm: 'query_sm_resp',
  cancel_sm: 'cancel_sm_resp',
  replace_sm: 'replace_sm_resp',
}

/**
 * A request ends after so many times its time, whatever we did not read: a store that is slow for ever and a peer that sends without
 * end would leave nearly no time to hear.
 */
const maxDeafness = 4

/** The range of sequence numbers (section 3.2). */
export const sequenceNumbers = { first: 1, last: 0x7fff_ffff }

/**
 * The requests of a session: the window and who waits for it, sequence numbers that no other request has, answers matched by number
 * and command, and one outcome for each request whatever happens. Answers that come too late are matched as well.
 */
export class Requests {
  readonly #deps: Deps
  readonly #opens = new OpenList()
  #inFlight = 0
  readonly #late = new Map<number, Open>()
  readonly #waiting = new Set<Waiting>()
  #window: number
  #sequence: number
  readonly #lastSequence: number
  #hasWrapped = false
  #isClosed = false
  #doubtedMs = Number.NEGATIVE_INFINITY

  /** Numbers begin at `first`; behind `last` they begin at 1 again. */
  constructor(deps: Deps, { first, last } = sequenceNumbers) {
    this.#deps = deps
    this.#window = deps.limits.window
    this.#sequence = first
    this.#lastSequence = last
  }

  /** Requests on the wire without an answer, those of the session itself left out. */
  get inFlight(): number {
    return this.#inFlight
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * An answer did not come, and the peer was not heard since: nothing more goes out, nor what waits for room. A connection that is dead and does not
   * know it would else take a window of requests after each time-out.
   */
  get isInDoubt(): boolean {
    return this.#deps.heardMs() < this.#doubtedMs
  }

  get #canSend(): boolean {
    return !this.isInDoubt && this.#deps.canSend()
  }

  /** How many more requests would go out at once. */
  get room(): number {
    return this.#canSend ? Math.max(0, this.#window - this.#inFlight - this.#waiting.size) : 0
  }

  /** Takes effect with the next request; those on the wire stay. */
  setWindow(window: number): void {
    this.#window = window
    this.admit()
  }

  /** A request within the window; waits when there is no room, and goes at `latestMs` no more, nor when it is not wanted any more by then. */
  ask<C extends RequestCommand>(
    command: C,
    body: Body<C>,
    settle: Settle,
    latestMs = Number.POSITIVE_INFINITY,
    isWanted?: () => boolean,
  ): void {
    if (this.#isClosed) return settle({ kind: 'not_written', reason: 'closed' })
    const { responseTimeoutMs, maxWaiting, windowWaitMs } = this.#deps.limits
    if (this.room > 0) return this.#open({ command, body, settle }, responseTimeoutMs, true)
    if (this.#waiting.size >= maxWaiting) return settle({ kind: 'not_written', reason: 'queue_full' })
    const untilMs = Math.min(latestMs, this.#deps.monotonicMs() + windowWaitMs)
    this.#waiting.add({ command, body, settle, untilMs, isWanted })
    this.#deps.alarm.by(untilMs)
  }

  /** A request of the session itself (bind, enquire_link, unbind): outside of the window, with a time of its own. */
  control<C extends ControlCommand>(command: C, body: Bodies[C], timeoutMs: number, settle: Settle): void {
    if (this.#isClosed) return settle({ kind: 'not_written', reason: 'closed' })
    this.#open({ command, body, settle }, timeoutMs, false)
  }

  /** Everything sent so far was handed to the socket: from now on its outcome may be unknown, and its time runs. */
  written(nowMs: number, hearingMs: number): void {
    let soonestMs = Number.POSITIVE_INFINITY
    for (let open = this.#opens.newest; open !== null && open.writtenMs === null; open = open.older) {
      open.writtenMs = nowMs
      open.deadlineMs = hearingMs + open.timeoutMs
      // Whom we do not hear is not dead for it.
      if (open.answeredBy !== 'enquire_link_resp') open.latestMs = nowMs + open.timeoutMs * maxDeafness
      soonestMs = Math.min(soonestMs, open.timeoutMs)
    }
    this.#deps.alarm.by(nowMs + soonestMs)
  }

  /** Matches an answer with its request by number and command; false when nobody asked. */
  answer(command: Command, sequence: number, status: number, body: Bodies[Command]): boolean {
    const asked = this.#opens.find(sequence) ?? this.#late.get(sequence)
    if (asked === undefined || asked.writtenMs === null) return false
    if (asked.answeredBy !== command && command !== 'generic_nack') return false
    const tookMs = this.#deps.heardMs() - asked.writtenMs
    const answer = { kind: 'response' as const, command, sequence, status, body, tookMs }
    if (this.#late.size > 0 && this.#late.delete(sequence)) this.#deps.late(answer as LateAnswer)
    else this.#end(asked, answer)
    return true
  }

  /** Sends those that wait, as far as there is room. */
  admit(): void {
    if (this.#waiting.size === 0) return
    const nowMs = this.#deps.monotonicMs()
    for (const waiting of this.#waiting) {
      if (this.#inFlight >= this.#window || !this.#canSend) return
      this.#waiting.delete(waiting)
      if (waiting.untilMs <= nowMs) waiting.settle({ kind: 'not_written', reason: 'no_room' })
      else if (waiting.isWanted?.() === false) waiting.settle({ kind: 'not_written', reason: 'unwanted' })
      else this.#open(waiting, this.#deps.limits.responseTimeoutMs, true)
    }
  }

  /** Gives up what is due and gives the next deadline; `hearingMs` is null while nothing is heard. */
  check(nowMs: number, hearingMs: number | null): number {
    let soonestMs = Number.POSITIVE_INFINITY
    for (const waiting of this.#waiting) {
      if (waiting.untilMs > nowMs) soonestMs = Math.min(soonestMs, waiting.untilMs)
      else {
        this.#waiting.delete(waiting)
        waiting.settle({ kind: 'not_written', reason: 'no_room' })
      }
    }
    return Math.min(soonestMs, this.#expire(nowMs, hearingMs))
  }

  /** Those that wait for room never leave. */
  turnAway(): void {
    for (const { settle } of this.#waiting) settle({ kind: 'not_written', reason: 'closed' })
    this.#waiting.clear()
  }

  /** The connection has dropped what it was not to hand over any more: none of it leaves. */
  dropUnwritten(): void {
    this.turnAway()
    for (const open of this.#opens.toArray()) if (open.writtenMs === null) this.#giveUp(open, 'closed')
  }

  /** Ends every request that is open. */
  close(): void {
    this.#isClosed = true
    this.turnAway()
    for (const open of this.#opens.toArray()) this.#giveUp(open, 'closed')
    this.#late.clear()
  }

  #open({ command, body, settle }: Asking, timeoutMs: number, isWindowed: boolean): void {
    const sequence = this.#nextSequence()
    const made = typeof body === 'function' ? body() : body
    const fault = this.#deps.send({ command, status: 0, sequence, body: made } as Pdu)
    if (fault !== null) return settle({ kind: 'not_written', reason: 'invalid', detail: fault })
    if (isWindowed) this.#inFlight++
    this.#opens.add({
      answeredBy: answers[command],
      sequence,
      isWindowed,
      timeoutMs,
      settle,
      writtenMs: null,
      deadlineMs: Number.POSITIVE_INFINITY,
      latestMs: Number.POSITIVE_INFINITY,
      hasEnded: false,
      older: null,
      newer: null,
    })
  }

  /** The next number that no request has whose answer may still come. Before the first wrap all are new. */
  #nextSequence(): number {
    let sequence = this.#sequence
    while (this.#hasWrapped && (this.#opens.find(sequence) !== null || this.#late.has(sequence)))
      sequence = this.#after(sequence)
    this.#sequence = this.#after(sequence)
    return sequence
  }

  #after(sequence: number): number {
    if (sequence < this.#lastSequence) return sequence + 1
    this.#hasWrapped = true
    return sequenceNumbers.first
  }

  /** Gives up what is overdue and gives the next deadline. */
  #expire(nowMs: number, hearingMs: number | null): number {
    const deafMs = hearingMs === null ? Number.POSITIVE_INFINITY : nowMs - hearingMs
    let nextMs = Number.POSITIVE_INFINITY
    for (const open of this.#opens.toArray()) {
      const dueMs = Math.min(open.latestMs, deafMs + open.deadlineMs)
      if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs)
      else this.#giveUp(open, 'timeout')
    }
    for (const sequence of this.#late.keys()) {
      if (this.#late.size <= this.#deps.limits.maxLate) break
      this.#late.delete(sequence)
    }
    return nextMs
  }

  #giveUp(open: Open, reason: 'timeout' | 'closed'): void {
    const { sequence, writtenMs, hasEnded } = open
    // With the session, because of one that was given up before it.
    if (hasEnded) return
    if (open.isWindowed && reason === 'timeout') {
      this.#late.set(sequence, open)
      this.#doubtedMs = this.#deps.monotonicMs()
      this.#deps.doubted()
    }
    if (writtenMs === null) this.#end(open, { kind: 'not_written', reason: 'closed' })
    else this.#end(open, { kind: 'unknown', reason, sequence })
  }

  #end(open: Open, outcome: AnyOutcome): void {
    open.hasEnded = true
    this.#opens.remove(open)
    if (open.isWindowed) this.#inFlight--
    open.settle(outcome)
    this.#deps.ended()
  }
}

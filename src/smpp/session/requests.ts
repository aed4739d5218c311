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

/** A body, or a function that creates it when the request is sent, which may be long after it was requested. */
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
  /** When the octets arrived that are being processed. */
  receivedMs(): number
  send(pdu: Pdu): string | null
  /** Whether the peer accepts what is sent. */
  canSend(): boolean
  late(answer: LateAnswer): void
  /** A response is overdue: the peer must be probed. One that lost a single response replies immediately. */
  suspected(): void
  /** A request ended: there may be room for waiting ones. */
  ended(): void
}

// Created once: a name that is concatenated for each request would have to be compared character by character.
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
 * A request ends after this many times its timeout, regardless of paused reading: a store that is always slow
 * and a peer that sends endlessly would leave almost no time to receive.
 */
const maxPauseFactor = 4

/** The range of sequence numbers (section 3.2). */
export const sequenceNumbers = { first: 1, last: 0x7fff_ffff }

/**
 * The requests of a session: the window and its waiting requests, unique sequence numbers, responses matched
 * by number and command, and exactly one outcome per request. Late responses are matched as well.
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
  #suspectedMs = Number.NEGATIVE_INFINITY

  /** Numbers begin at `first`; after `last` they begin at 1 again. */
  constructor(deps: Deps, { first, last } = sequenceNumbers) {
    this.#deps = deps
    this.#window = deps.limits.window
    this.#sequence = first
    this.#lastSequence = last
  }

  /** Requests in flight, except those of the session itself. */
  get inFlight(): number {
    return this.#inFlight
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Whether a response is overdue and nothing was received since: then nothing is sent, waiting requests
   * included. A dead connection that is not detected would otherwise take a window of requests after each
   * timeout.
   */
  get isSuspect(): boolean {
    return this.#deps.receivedMs() < this.#suspectedMs
  }

  get #canSend(): boolean {
    return !this.isSuspect && this.#deps.canSend()
  }

  /** How many more requests would be sent immediately. */
  get room(): number {
    return this.#canSend ? Math.max(0, this.#window - this.#inFlight - this.#waiting.size) : 0
  }

  /** Takes effect with the next request; those in flight stay. */
  setWindow(window: number): void {
    this.#window = window
    this.admit()
  }

  /**
   * Sends a request within the window. It waits without room, and is not sent after `latestMs`, nor when it
   * is no longer wanted.
   */
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

  /**
   * Sends a request of the session itself (bind, enquire_link, unbind): outside of the window, with its own
   * timeout.
   */
  control<C extends ControlCommand>(command: C, body: Bodies[C], timeoutMs: number, settle: Settle): void {
    if (this.#isClosed) return settle({ kind: 'not_written', reason: 'closed' })
    this.#open({ command, body, settle }, timeoutMs, false)
  }

  /** Everything sent so far was passed to the socket: from now on its outcome may be unknown, and its time runs. */
  written(nowMs: number, hearingMs: number): void {
    let soonestMs = Number.POSITIVE_INFINITY
    for (let open = this.#opens.newest; open !== null && open.writtenMs === null; open = open.older) {
      open.writtenMs = nowMs
      open.deadlineMs = hearingMs + open.timeoutMs
      // A peer is not dead because reading is paused.
      if (open.answeredBy !== 'enquire_link_resp') open.latestMs = nowMs + open.timeoutMs * maxPauseFactor
      soonestMs = Math.min(soonestMs, open.timeoutMs)
    }
    this.#deps.alarm.by(nowMs + soonestMs)
  }

  /** Matches a response with its request by number and command; false when none matches. */
  answer(command: Command, sequence: number, status: number, body: Bodies[Command]): boolean {
    const asked = this.#opens.find(sequence) ?? this.#late.get(sequence)
    if (asked === undefined || asked.writtenMs === null) return false
    if (asked.answeredBy !== command && command !== 'generic_nack') return false
    const tookMs = this.#deps.receivedMs() - asked.writtenMs
    const answer = { kind: 'response' as const, command, sequence, status, body, tookMs }
    if (this.#late.size > 0 && this.#late.delete(sequence)) this.#deps.late(answer as LateAnswer)
    else this.#end(asked, answer)
    return true
  }

  /** Sends waiting requests, as far as there is room. */
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

  /** Ends overdue requests and returns the next deadline; `hearingMs` is null while reading is paused. */
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

  /** Rejects the requests that wait for room. */
  rejectWaiting(): void {
    for (const { settle } of this.#waiting) settle({ kind: 'not_written', reason: 'closed' })
    this.#waiting.clear()
  }

  /** The connection has dropped what was not to be passed on: none of it is sent. */
  dropUnwritten(): void {
    this.rejectWaiting()
    for (const open of this.#opens.toArray()) if (open.writtenMs === null) this.#abandon(open, 'closed')
  }

  /** Ends every open request. */
  close(): void {
    this.#isClosed = true
    this.rejectWaiting()
    for (const open of this.#opens.toArray()) this.#abandon(open, 'closed')
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

  /** The next number that no request has whose response may still arrive. Before the first wrap all are new. */
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

  /** Ends overdue requests and returns the next deadline. */
  #expire(nowMs: number, hearingMs: number | null): number {
    const pausedMs = hearingMs === null ? Number.POSITIVE_INFINITY : nowMs - hearingMs
    let nextMs = Number.POSITIVE_INFINITY
    for (const open of this.#opens.toArray()) {
      const dueMs = Math.min(open.latestMs, pausedMs + open.deadlineMs)
      if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs)
      else this.#abandon(open, 'timeout')
    }
    for (const sequence of this.#late.keys()) {
      if (this.#late.size <= this.#deps.limits.maxLate) break
      this.#late.delete(sequence)
    }
    return nextMs
  }

  #abandon(open: Open, reason: 'timeout' | 'closed'): void {
    const { sequence, writtenMs, hasEnded } = open
    // It ended with the session, because of a request that ended before it.
    if (hasEnded) return
    if (open.isWindowed && reason === 'timeout') {
      this.#late.set(sequence, open)
      this.#suspectedMs = this.#deps.monotonicMs()
      this.#deps.suspected()
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

import type { ConnectorTools } from '../../connector-tools.ts'
import { type DeadlineTimer, createDeadlineTimer } from '../../../smpp/session/deadline-timer.ts'
import { type BindOutcome, type BindResponse, judgeBind } from './bind-outcome.ts'
import { Connection, type ConnectionFault } from '../../../smpp/session/connection.ts'
import type { MalformedPdu } from '../../../smpp/codec/decode-pdu.ts'
import { Deliveries, type IncomingPdu, deliveryAnswer } from '../../../smpp/session/deliveries.ts'
import { KeepAlive } from '../../../smpp/session/keep-alive.ts'
import { GracefulClose } from '../../../smpp/session/graceful-close.ts'
import type { OpenSocket } from '../../../smpp/session/open-socket.ts'
import type { Pdu } from '../../../smpp/codec/pdu.ts'
import type { RequestCommand, RequestOutcome } from '../../../smpp/session/request-outcome.ts'
import { type Body, Requests, sequenceNumbers, type Settle } from '../../../smpp/session/requests.ts'
import { deadPeer, framingLost, type SessionEnd, type SessionEvents } from './session-events.ts'
import type { SessionSettings } from './session-settings.ts'
import { takePdu } from '../../../smpp/session/take-pdu.ts'

interface Deps {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule' | 'mayWrite'>
  open: OpenSocket
  events: SessionEvents
  /** First sequence number. Default: 1. */
  firstSequence?: number
}

/**
 * One connection to an SMSC as an ESME, from bind to unbind (SMPP 3.4, section 2). It ends once, with a
 * reason, and then every request has its outcome. It does not reconnect: that is up to the link.
 */
export class Session {
  readonly #deps: Deps
  readonly #settings: SessionSettings
  readonly #alarm: DeadlineTimer
  readonly #requests: Requests
  readonly #deliveries: Deliveries
  readonly #keepAlive: KeepAlive
  readonly #ended = Promise.withResolvers<SessionEnd>()
  readonly #bound = Promise.withResolvers<BindOutcome>()
  #connection: Connection | null = null
  #state: 'new' | 'binding' | 'bound' | 'unbinding' | 'closed' = 'new'
  readonly #leaving = new GracefulClose()
  /** Why this side unbinds, once it does. */
  #end: SessionEnd | null = null

  constructor(deps: Deps, settings: SessionSettings) {
    this.#deps = deps
    this.#settings = settings
    this.#alarm = createDeadlineTimer(deps.tools, () => this.#check(deps.tools.monotonicMs()))
    const receivedMs = (): number => this.receivedMs
    const monotonicMs = (): number => deps.tools.monotonicMs()
    const shared = { alarm: this.#alarm, limits: settings, monotonicMs, receivedMs }
    this.#requests = new Requests(
      {
        ...shared,
        send: (pdu) => this.#send(pdu),
        canSend: () => deps.tools.mayWrite?.() !== false && (this.#connection?.hasRoom ?? false),
        late: (answer) => deps.events.late(answer),
        suspected: () => this.#state === 'bound' && this.#keepAlive.askNow(),
        ended: () => this.#moreRoom(),
      },
      { ...sequenceNumbers, first: deps.firstSequence ?? sequenceNumbers.first },
    )
    this.#deliveries = new Deliveries({
      ...shared,
      store: (delivery, ackState) => deps.events.store(delivery, ackState),
      answer: (delivery, status) => this.#send(deliveryAnswer(delivery, status)),
      answered: () => this.#deliveryAnswered(),
    })
    this.#keepAlive = new KeepAlive({
      ...shared,
      ask: (answered) => this.#enquire(answered),
      dead: () => this.#finish(deadPeer, 'immediately'),
      idle: () => this.#unbindAs({ kind: 'inactive', detail: 'nothing was sent or received' }),
    })
  }

  get state(): 'new' | 'binding' | 'bound' | 'unbinding' | 'closed' {
    return this.#state
  }

  /** How many more requests would be sent immediately. */
  get room(): number {
    return this.#state === 'bound' ? this.#requests.room : 0
  }

  /** When the last data of the peer arrived, on the monotonic clock. */
  get receivedMs(): number {
    return this.#connection?.receivedMs ?? 0
  }

  /** Requests in flight, and those that wait for room. */
  get openRequests(): { inFlight: number; waiting: number } {
    return { inFlight: this.#requests.inFlight, waiting: this.#requests.waiting }
  }

  /** Resolves when the session has ended and its socket is closed. */
  get ended(): Promise<SessionEnd> {
    return this.#ended.promise
  }

  /** Changes the window; requests in flight stay. */
  setWindow(window: number): void {
    this.#requests.setWindow(window)
  }

  /** Whether a response is overdue and nothing was received since: until then nothing more is submitted. */
  get isSuspect(): boolean {
    return this.#requests.isSuspect
  }

  /** Connects and binds, once. */
  open(): Promise<BindOutcome> {
    if (this.#state !== 'new') throw new Error('A session is opened once.')
    this.#state = 'binding'
    try {
      this.#connection = this.#connect()
    } catch (error) {
      const detail = error instanceof Error ? error.message : 'cannot create a socket'
      this.#finish({ kind: 'invalid_settings', detail }, 'immediately')
    }
    return this.#bound.promise
  }

  /**
   * Sends a request. Always resolves: with the response, `not_written` when certainly nothing was sent, else `unknown`.
   * The body must not change until then. A waiting one is not sent after `latestMs`, nor once `isWanted` is false.
   */
  request<C extends RequestCommand>(
    command: C,
    body: Body<C>,
    latestMs?: number,
    isWanted?: () => boolean,
  ): Promise<RequestOutcome<`${C}_resp`>> {
    return new Promise((resolve) => {
      if (this.#state !== 'bound') return resolve({ kind: 'not_written', reason: 'not_bound' })
      if (this.#settings.bindAs === 'receiver')
        return resolve({ kind: 'not_written', reason: 'receiver_only' })
      this.#used()
      // The response is for this command or a generic_nack: requests are matched by number and command.
      this.#requests.ask(command, body, resolve as Settle, latestMs, isWanted)
    })
  }

  /** Accepts no more requests, awaits the open responses, unbinds and closes. Bounded; resolves like `ended`. */
  unbind(detail = 'on request'): Promise<SessionEnd> {
    if (this.#state === 'bound') this.#unbindAs({ kind: 'unbound', detail })
    else if (this.#state !== 'unbinding') this.abort('left before it was bound')
    return this.ended
  }

  /** Ends the session immediately, without a PDU to the peer. */
  abort(detail: string): void {
    this.#finish({ kind: 'aborted', detail }, 'immediately')
  }

  #connect(): Connection {
    const { tools, open, events } = this.#deps
    const incoming = {
      send: (pdu: Pdu) => this.#send(pdu),
      answer: this.#requests.answer.bind(this.#requests),
      deliver: (delivery: IncomingPdu) => this.#takeDelivery(delivery),
      peerUnbinds: (sequence: number) => this.#peerUnbinds(sequence),
      odd: (pdu: Pdu | MalformedPdu) => events.odd(pdu),
    }
    return new Connection(open, {
      tools,
      alarm: this.#alarm,
      limits: this.#settings,
      isFull: () => this.#deliveries.isFull,
      ready: () => this.#bind(),
      take: (pdu) => {
        events.trace?.('in', pdu)
        takePdu(incoming, pdu)
      },
      written: (nowMs) => this.#requests.written(nowMs, this.#connection?.hearingMs(nowMs) ?? nowMs),
      drained: () => this.#moreRoom(),
      failed: (fault) => this.#failed(fault),
      closed: () => this.#end !== null && this.#ended.resolve(this.#end),
    })
  }

  #bind(): void {
    const { bindAs, bind, bindTimeoutMs } = this.#settings
    this.#requests.control(`bind_${bindAs}`, bind, bindTimeoutMs, (outcome) => {
      const judged = judgeBind(outcome as RequestOutcome<BindResponse>)
      if (judged.kind === 'failed')
        return this.#finish(judged.end, judged.end.kind === 'bind_refused' ? 'gracefully' : 'immediately')
      this.#state = 'bound'
      this.#keepAlive.used(this.#deps.tools.monotonicMs())
      this.#alarm.ring()
      this.#bound.resolve(judged)
    })
  }

  #send(pdu: Pdu): string | null {
    const fault = this.#connection?.send(pdu) ?? null
    if (fault === null) this.#deps.events.trace?.('out', pdu)
    return fault
  }

  /** From the connection on: some SMSCs deliver before their bind response, and drop what is rejected (decision 34). */
  #takeDelivery(delivery: IncomingPdu): void {
    // Only when the peer has closed with more than is accepted: without a response it still has them.
    if (this.#deliveries.isFull) return
    this.#used()
    this.#deliveries.take(delivery)
  }

  #deliveryAnswered(): void {
    this.#connection?.resumeReading()
    this.#leaveOnceDrained()
  }

  #moreRoom(): void {
    this.#requests.admit()
    if (this.#state === 'bound') this.#deps.events.room()
    else this.#leaveOnceDrained()
  }

  #used(): void {
    if (this.#settings.inactivityMs > 0) this.#keepAlive.used(this.#deps.tools.monotonicMs())
  }

  #enquire(answered: (isAlive: boolean) => void): void {
    this.#requests.control('enquire_link', null, this.#settings.enquireLinkTimeoutMs, (outcome) => {
      if (outcome.kind !== 'not_written') answered(outcome.kind === 'response')
    })
  }

  #peerUnbinds(sequence: number): void {
    const leave = (): void => {
      this.#send({ command: 'unbind_resp', status: 0, sequence, body: null })
      this.#finish({ kind: 'peer_unbound', detail: 'the peer unbound' }, 'gracefully')
    }
    if (this.#state === 'bound') this.#leave(leave)
    else if (this.#state === 'binding') leave()
    else this.#send({ command: 'unbind_resp', status: 0, sequence, body: null })
  }

  #unbindAs(end: SessionEnd): void {
    this.#leave(() => {
      this.#end = end
      this.#requests.control('unbind', null, this.#settings.unbindTimeoutMs, () =>
        this.#finish(end, 'gracefully'),
      )
    })
  }

  /** Accepts no more requests, and unbinds once everything open has ended, or its time is over. */
  #leave(leave: () => void): void {
    this.#state = 'unbinding'
    this.#requests.rejectWaiting()
    const untilMs = this.#deps.tools.monotonicMs() + this.#settings.drainMs
    this.#leaving.begin(leave, untilMs)
    this.#alarm.by(untilMs)
    this.#leaveOnceDrained()
  }

  #leaveOnceDrained(): void {
    if (this.#requests.inFlight === 0 && this.#deliveries.size === 0) this.#leaving.now()
  }

  #failed(fault: ConnectionFault): void {
    if (fault.kind === 'framing_lost') this.#finish(fault, 'gracefully', framingLost)
    // Some peers close instead of responding to unbind.
    else this.#finish(this.#end ?? fault, 'immediately')
  }

  #finish(end: SessionEnd, how: 'gracefully' | 'immediately', lastWord?: Pdu): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#end = end
    this.#leaving.cancel()
    this.#alarm.cancel()
    if (lastWord !== undefined) {
      this.#requests.dropUnwritten()
      this.#send(lastWord)
    }
    // First the connection: requests that it still submits must not be reported as not written.
    if (how === 'gracefully') this.#connection?.close()
    else this.#connection?.destroy()
    this.#requests.close()
    this.#deliveries.close()
    this.#bound.resolve({ kind: 'failed', end })
    if (this.#connection === null) this.#ended.resolve(end)
  }

  #check(nowMs: number): number {
    const connection = this.#connection
    if (this.#state === 'closed' || connection === null) return Number.POSITIVE_INFINITY
    this.#leaving.check(nowMs)
    return Math.min(
      connection.check(nowMs),
      this.#requests.check(nowMs, connection.isPaused ? null : connection.hearingMs(nowMs)),
      this.#deliveries.check(nowMs),
      connection.isPaused || this.#state !== 'bound' ? Infinity : this.#keepAlive.check(nowMs),
      this.#leaving.untilMs,
    )
  }
}

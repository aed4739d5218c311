import type { Capabilities, ConnectorEvents, Submission, Link, Outcome } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { Bindings, rolesOf, type Role } from './session/bindings.ts'
import type { IncomingPdu } from '../../smpp/session/deliveries.ts'
import type { AckState } from '../../smpp/session/ack-state.ts'
import { type KnownIds, maxIds } from './receive/known-ids.ts'
import { healthOf } from './link-health.ts'
import { type UnknownPart, LateResponses } from './submit/late-responses.ts'
import { SubmissionsInFlight } from './submit/submissions-in-flight.ts'
import type { OpenSocket } from '../../smpp/session/open-socket.ts'
import type { LinkPlan, Replan } from './link-plan.ts'
import { readAnswer, readSubmitted, sayAnswer } from './submit/part-response.ts'
import { Pace } from './submit/pace.ts'
import { PartValidity } from './submit/part-validity.ts'
import { PartialRetries } from './submit/partial-retries.ts'
import { commandStatus, type MessageFields } from '../../smpp/codec/pdu.ts'
import type { Answer } from '../../smpp/session/request-outcome.ts'
import { Session } from './session/session.ts'
import { validityEnded } from '../sms/part-outcomes.ts'
import { type PartOutcome, submitMessage } from './submit/submit-message.ts'
import type { Unparsed } from './receive/unparsed.ts'

interface Deps {
  replan: Replan
  tools: ConnectorTools
  events: ConnectorEvents
  open: OpenSocket
  ids: KnownIds
  unparsed: Unparsed
  /** Stores a receipt or a message; after a rejection the SMSC delivers it again. */
  store(delivery: IncomingPdu, ackState: AckState): Promise<void>
}

/** A stopping link first lets messages in flight complete; longer would delay a restart for a silent SMSC. */
const completeWithinMs = 5_000
/** Then it waits for responses, but no longer than this: one that never arrives must not delay new settings. */
const maxAnswersMs = 60_000
/** Wider windows hide a flush by themselves, and each submission ahead is a line in the log. */
const maxAhead = 50

/** A link to an SMSC: its sessions, its rate, and the outcome of each message. */
export class SmppLink implements Link {
  readonly capabilities: Capabilities
  /** An SMSC delivers what it has kept right after the bind, and some do not mark receipts as such. */
  readonly resumesFirst: { most: number; failuresReported: boolean }
  readonly #deps: Deps
  #plan: LinkPlan
  readonly #bindings: Bindings
  readonly #pace: Pace
  readonly #late = new LateResponses()
  #phase: 'new' | 'running' | 'stopping' = 'new'
  readonly #open: SubmissionsInFlight
  #lastSeenAt: number | null = null
  #status: ReturnType<typeof healthOf>['status'] = 'pending'
  readonly #halves: PartialRetries
  #finishing: Promise<void> | null = null

  constructor(deps: Deps, plan: LinkPlan) {
    this.#deps = deps
    this.#plan = plan
    this.#open = new SubmissionsInFlight(deps.tools)
    this.capabilities = plan.capabilities
    this.resumesFirst = { most: maxIds, failuresReported: plan.receipts === 'failures' }
    const hasRoom = (): void => {
      if (this.#phase === 'running') deps.events.healthChanged()
    }
    this.#pace = new Pace({ tools: deps.tools, changed: () => this.#changed(), hasRoom }, plan.maxPerSecond)
    this.#halves = new PartialRetries({ tools: deps.tools, pace: this.#pace, maxOpen: () => this.#maxOpen })
    this.#bindings = new Bindings(
      {
        tools: deps.tools,
        policy: plan.reconnect,
        createSession: (role) => this.#createSession(role),
        changed: () => this.#changed(),
      },
      rolesOf(plan.bind, plan.sessions),
    )
  }

  /** As many messages as there is room for on the connections, at the rate that the SMSC accepts. */
  get window(): number {
    return this.#open.count + this.#pace.takeRoom(this.#room)
  }

  get waiting(): number {
    return this.#halves.waiting
  }

  /** One more window: a flush may take as long as a round trip. A limited rate or a wide window leaves time for it. */
  get ahead(): number {
    const window = this.#open.count + this.#room
    return this.perSecond === Infinity && window <= maxAhead ? window : 0
  }

  get perSecond(): number {
    return this.#pace.perSecond
  }

  /** Maximum open messages, those with nothing in flight included: a crash leaves no more with unknown outcome. */
  get #maxOpen(): number {
    return this.#plan.sessions * this.#plan.session.window
  }

  get #room(): number {
    return Math.max(0, Math.min(this.#bindings.room, this.#maxOpen - this.#open.count))
  }

  health(): ReturnType<typeof healthOf> {
    const { tools } = this.#deps
    return healthOf({
      states: this.#bindings.states,
      isStopped: this.#phase === 'stopping',
      isThrottled: this.#pace.isThrottled,
      nowMs: tools.now(),
      lastSeenAt: this.#lastSeenAt,
    })
  }

  async start(): Promise<void> {
    if (this.#phase !== 'new') return
    this.#phase = 'running'
    this.#bindings.start()
  }

  /** Applies what needs no new session, immediately; submitted messages stay as they were created. */
  applySettings(settings: Readonly<Record<string, string>>): boolean {
    const plan = this.#phase === 'running' ? this.#deps.replan(settings) : null
    if (plan === null) return false
    this.#plan = plan
    this.#pace.setContracted(plan.maxPerSecond)
    this.#bindings.setWindow(plan.session.window)
    this.#changed()
    return true
  }

  async submit(submission: Submission): Promise<Outcome> {
    if (this.#phase !== 'running') return { kind: 'unavailable', detail: 'The link is not running.' }
    const parts = this.#partsOf(submission)
    if ('kind' in parts) return parts
    this.#open.began()
    try {
      const { monotonicMs } = this.#deps.tools
      const validity = new PartValidity(monotonicMs(), submission, this.#plan.validityPeriod)
      const isWanted = (): boolean => submission.isKnownOptedOut?.() !== true
      const unknown: UnknownPart = { attemptId: submission.attemptId, outcomes: [], isReported: false }
      const deps = {
        submitPart: (fields: MessageFields) => this.#submitPart(fields, validity, isWanted),
        pause: (fruitless: number) => this.#halves.pause(fruitless, validity),
        isExpired: () => monotonicMs() >= validity.endMs,
        hasOptedOut: () => submission.hasOptedOut?.() ?? Promise.resolve(false),
        room: () => this.#pace.roomOrWakeLater(),
        onUnknown: (outcomes: PartOutcome[], part: number) => {
          unknown.outcomes = outcomes
          this.#awaitLate(unknown, part)
        },
        receipts: this.#plan.receipts,
      }
      const outcome = await submitMessage(deps, parts)
      unknown.isReported = true
      return outcome
    } finally {
      this.#open.ended()
    }
  }

  /** No request is needed: the SMSC sends receipts by itself. Restores the expected IDs. */
  resume(expected: readonly { networkId: string }[]): void {
    for (const { networkId } of expected) this.#deps.ids.add(networkId)
  }

  hurry(): void {
    this.#finishing ??= this.#finish()
  }

  async stop(): Promise<void> {
    this.hurry()
    await this.#finishing
    // When the server stops, nothing is in flight any more; and without its lease another node may bind.
    const answersMs = Math.min(this.#plan.session.responseTimeoutMs, maxAnswersMs)
    await this.#open.noneWithin(answersMs, this.#mayWrite)
    await this.#bindings.stop()
    await this.#open.none()
  }

  readonly #mayWrite = (): boolean => this.#deps.tools.mayWrite?.() !== false

  /**
   * Retries immediately what waits for its next attempt; what is incomplete after that is reported as such. A
   * closing session rejects waiting parts: until then those of long messages follow the ones that were sent.
   */
  async #finish(): Promise<void> {
    this.#phase = 'stopping'
    this.#pace.stop()
    this.#halves.hurry()
    await this.#open.noneWithin(completeWithinMs, this.#mayWrite)
    this.#halves.abandon()
    // Nothing more is submitted: a session that is lost now would be reconnected only to be closed.
    this.#bindings.bindNoMore()
  }

  /** What cannot be encoded as SMPP can never be sent: the sender is invalid, or the text has too many parts. */
  #partsOf(submission: Submission): MessageFields[] | Outcome {
    try {
      return this.#plan.partsOf(submission)
    } catch (error) {
      return { kind: 'refused', lasts: 'good', code: 'device_error', networkCode: (error as Error).message }
    }
  }

  async #submitPart(
    made: MessageFields,
    validity: PartValidity,
    isWanted: () => boolean,
  ): Promise<PartOutcome> {
    const { counters, monotonicMs } = this.#deps.tools
    const submittedMs = monotonicMs()
    if (submittedMs >= validity.endMs) return validityEnded
    const roomiest = this.#bindings.roomiest
    if (roomiest === null) return { kind: 'not_written', detail: 'The link is not bound.' }
    const { session, binding } = roomiest
    this.#pace.spend()
    const answered = this.#deps.ids.submitted(made.destination.address)
    const fields = (): MessageFields => validity.shortened(made, monotonicMs())
    const submitted = await session.request('submit_sm', fields, validity.endMs, isWanted)
    if (submitted.kind === 'not_written') this.#pace.notWritten()
    const status = sayAnswer(submitted)
    if (status !== null) counters?.answered(status, (monotonicMs() - submittedMs) / 1_000)
    const outcome = readSubmitted(submitted, session, this.#plan)
    if (outcome.kind === 'taken') {
      this.#addKnownId(outcome)
      binding.provedGood()
      this.#pace.taken()
    } else if (submitted.kind === 'response') {
      this.#heedStatus(submitted.status, session, made.destination.address)
    }
    answered()
    return outcome
  }

  #addKnownId({ messageId }: { messageId: string | null }): void {
    if (messageId !== null) this.#deps.ids.add(messageId)
  }

  /** Applies what an error status says about the link, as opposed to the message. */
  #heedStatus(status: number, session: Session, to: string): void {
    const { lasts } = this.#plan.classify(status)
    // Cutting the session would leave the other parts in flight with unknown outcomes.
    if (lasts === 'link') void session.unbind('the peer reports that it is not bound')
    if (lasts !== 'busy') return
    if (status === commandStatus.ESME_RMSGQFUL) this.#pace.queueFull(to)
    else this.#pace.throttled()
  }

  #awaitLate(unknown: UnknownPart, part: number): void {
    const outcome = unknown.outcomes[part]
    if (outcome?.kind === 'unknown' && outcome.asked !== undefined)
      this.#late.expect(outcome.asked.session, outcome.asked.sequence, unknown, part)
  }

  #createSession(role: Role): Session {
    const { tools, events, open, store, unparsed } = this.#deps
    const { session: settings, receipts } = this.#plan
    const session: Session = new Session(
      {
        tools,
        open,
        events: {
          store: (delivery, ackState) => {
            this.#lastSeenAt = tools.now()
            return store(delivery, ackState)
          },
          late: (answer) => {
            // Only submit_sm is requested over a link. What cannot be stored stays unknown, until its receipt comes.
            const outcome = readAnswer(answer as Answer<'submit_sm_resp'>, this.#plan)
            if (outcome.kind === 'taken') this.#addKnownId(outcome)
            const known = this.#late.take(session, answer, { outcome, receipts })
            if (known !== null) events.lateOutcome(known.attemptId, known.outcome).catch(() => undefined)
          },
          room: () => this.#pace.roomFreed(),
          odd: unparsed.odd,
          trace: (direction, pdu) => {
            const entry = this.#plan.trace?.(pdu)
            if (entry !== undefined) tools.log('info', `SMPP ${direction}`, entry)
          },
        },
      },
      { ...settings, bindAs: role },
    )
    return session
  }

  #changed(): void {
    const { status } = this.health()
    if (status === 'online' || status === 'degraded') this.#lastSeenAt = this.#deps.tools.now()
    if (status !== this.#status)
      this.#deps.tools.log(status === 'offline' ? 'warn' : 'info', 'the link changed', { status })
    this.#status = status
    this.#deps.events.healthChanged()
  }
}

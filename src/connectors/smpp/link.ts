import type { Capabilities, ConnectorEvents, Submission, Health, Link, Outcome } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { Bindings, rolesOf, type Role } from './session/bindings.ts'
import type { Delivery } from '../../smpp/session/deliveries.ts'
import type { DeliveryResult } from '../../smpp/session/delivery-result.ts'
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
import { type PartOutcome, submitMessage, validityEnded } from './submit/submit-message.ts'
import type { Unread } from './receive/unread.ts'

interface Deps {
  replan: Replan
  tools: ConnectorTools
  events: ConnectorEvents
  open: OpenSocket
  ids: KnownIds
  unread: Unread
  /** Stores a receipt or a message; a rejection asks the SMSC to say it again. */
  store(delivery: Delivery, fate: DeliveryResult): Promise<void>
}

/** A link that stops first lets the messages that are under way go out whole; longer would keep a restart waiting for an SMSC that is silent. */
const wholeWithinMs = 5_000
/** Then it waits for answers as long as they may take, and no longer than this: one that never comes is not to keep new settings waiting. */
const maxAnswersMs = 60_000
/** Wider windows hide a flush by themselves, and what leaves ahead is written down line by line. */
const maxAhead = 50

/** A link to an SMSC: its sessions, how fast they may go, and what became of each message. */
export class SmppLink implements Link {
  readonly capabilities: Capabilities
  /** An SMSC brings what it has kept with its yes to the bind, and some do not say of a receipt that it is one. */
  readonly resumesFirst: { most: number; failuresTold: boolean }
  readonly #deps: Deps
  #plan: LinkPlan
  readonly #bindings: Bindings
  readonly #pace: Pace
  readonly #late = new LateResponses()
  #phase: 'new' | 'running' | 'stopping' = 'new'
  readonly #open: SubmissionsInFlight
  #lastSeenAt: number | null = null
  #status: Health['status'] = 'pending'
  readonly #halves: PartialRetries
  #finishing: Promise<void> | null = null

  constructor(deps: Deps, plan: LinkPlan) {
    this.#deps = deps
    this.#plan = plan
    this.#open = new SubmissionsInFlight(deps.tools)
    this.capabilities = plan.capabilities
    this.resumesFirst = { most: maxIds, failuresTold: plan.receipts === 'failures' }
    const hasRoom = (): void => {
      if (this.#phase === 'running') deps.events.healthChanged()
    }
    this.#pace = new Pace({ tools: deps.tools, changed: () => this.#changed(), hasRoom }, plan.maxPerSecond)
    this.#halves = new PartialRetries({ tools: deps.tools, pace: this.#pace, places: () => this.#places })
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

  /** As many messages as there is room for on the wire, at the rate that the SMSC bears. */
  get window(): number {
    return this.#open.count + this.#pace.roomOf(this.#room)
  }

  get waiting(): number {
    return this.#halves.waiting
  }

  /** Another window: a flush may take as long as a round trip. A bounded rate leaves time for it, and so does a wide window. */
  get ahead(): number {
    const window = this.#open.count + this.#room
    return this.perSecond === Infinity && window <= maxAhead ? window : 0
  }

  get perSecond(): number {
    return this.#pace.perSecond
  }

  /** How many messages may be open: a crash leaves no more of them unknown, those among them of which nothing is on the wire just now. */
  get #places(): number {
    return this.#plan.sessions * this.#plan.session.window
  }

  get #room(): number {
    return Math.max(0, Math.min(this.#bindings.room, this.#places - this.#open.count))
  }

  health(): Health {
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

  /** Takes over what needs no new session, at once; messages that were handed over before go out as they were made. */
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
      const isWanted = (): boolean => submission.hasJustStopped?.() !== true
      const doubtful: UnknownPart = { attemptId: submission.attemptId, outcomes: [], isTold: false }
      const deps = {
        submitPart: (fields: MessageFields) => this.#submitPart(fields, validity, isWanted),
        pause: (fruitless: number) => this.#halves.pause(fruitless, validity),
        isExpired: () => monotonicMs() >= validity.endMs,
        hasStopped: () => submission.hasStopped?.() ?? Promise.resolve(false),
        room: () => this.#pace.room,
        inDoubt: (outcomes: PartOutcome[], part: number) => {
          doubtful.outcomes = outcomes
          this.#awaitLate(doubtful, part)
        },
        receipts: this.#plan.receipts,
      }
      const outcome = await submitMessage(deps, parts)
      doubtful.isTold = true
      return outcome
    } finally {
      this.#open.ended()
    }
  }

  /** Nothing has to be asked for: the SMSC says receipts by itself. Their ids are known again. */
  resume(expected: readonly { networkId: string }[]): void {
    for (const { networkId } of expected) this.#deps.ids.add(networkId)
  }

  hurry(): void {
    this.#finishing ??= this.#finish()
  }

  async stop(): Promise<void> {
    this.hurry()
    await this.#finishing
    // Of a server that ends nothing is open any more; and without its lease another one may bind.
    const answersMs = Math.min(this.#plan.session.responseTimeoutMs, maxAnswersMs)
    await this.#open.noneWithin(answersMs, this.#mayWrite)
    await this.#bindings.stop()
    await this.#open.none()
  }

  readonly #mayWrite = (): boolean => this.#deps.tools.mayWrite?.() !== false

  /**
   * What waits for another try has it at once; what is a half all the same after that is told as one. A session that leaves turns away the parts
   * that wait for room: until then those of long messages follow the ones that are out.
   */
  async #finish(): Promise<void> {
    this.#phase = 'stopping'
    this.#pace.stop()
    this.#halves.goOn()
    await this.#open.noneWithin(wholeWithinMs, this.#mayWrite)
    this.#halves.giveUp()
    // Nothing leaves any more: a session that is lost now would be made anew only to be left.
    this.#bindings.bindNoMore()
  }

  /** What cannot be written as SMPP will never go: the sender is none, or the text has too many parts. */
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
    const said = sayAnswer(submitted)
    if (said !== null) counters?.answered(said, (monotonicMs() - submittedMs) / 1_000)
    const outcome = readSubmitted(submitted, session, this.#plan)
    if (outcome.kind === 'taken') {
      this.#knows(outcome)
      binding.provedGood()
      this.#pace.taken()
    } else if (submitted.kind === 'response') {
      this.#heedStatus(submitted.status, session, made.destination.address)
    }
    answered()
    return outcome
  }

  #knows({ messageId }: { messageId: string | null }): void {
    if (messageId !== null) this.#deps.ids.add(messageId)
  }

  /** What an error answer says about the link, and not about the message. */
  #heedStatus(status: number, session: Session, to: string): void {
    const { lasts } = this.#plan.classify(status)
    // What else is out there may have its answer yet: cut off, a window of messages would be in doubt for one word.
    if (lasts === 'link') void session.unbind('the peer says that it is not bound')
    if (lasts !== 'busy') return
    if (status === commandStatus.ESME_RMSGQFUL) this.#pace.queueFull(to)
    else this.#pace.throttled()
  }

  #awaitLate(doubtful: UnknownPart, part: number): void {
    const outcome = doubtful.outcomes[part]
    if (outcome?.kind === 'unknown' && outcome.asked !== undefined)
      this.#late.expect(outcome.asked.session, outcome.asked.sequence, doubtful, part)
  }

  #createSession(role: Role): Session {
    const { tools, events, open, store, unread } = this.#deps
    const { session: settings, receipts } = this.#plan
    const session: Session = new Session(
      {
        tools,
        open,
        events: {
          store: (delivery, fate) => {
            this.#lastSeenAt = tools.now()
            return store(delivery, fate)
          },
          late: (answer) => {
            // Nothing else than submit_sm is asked over a link.
            const outcome = readAnswer(answer as Answer<'submit_sm_resp'>, this.#plan)
            if (outcome.kind === 'taken') this.#knows(outcome)
            const known = this.#late.take(session, answer, { outcome, receipts })
            if (known !== null) void events.late(known.attemptId, known.outcome)
          },
          room: () => this.#pace.roomCame(),
          odd: unread.odd,
          trace: (direction, pdu) => {
            const said = this.#plan.trace?.(pdu)
            if (said !== undefined) tools.log('info', `SMPP ${direction}`, said)
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

import type { Capabilities, ConnectorEvents, Link, Outcome, Submission } from '../connector.ts'
import type { Health } from '../health.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import type { PastSubmission } from '../past-submission.ts'
import { Throttle } from '../rate.ts'
import { type AccountFault, AccountState, healthOf } from './account-state.ts'
import { outcomeOf } from './answers/outcome-of.ts'
import { type Answered, readAnswer } from './answers/read-answer.ts'
import type { Declaration } from './declaration/declaration.ts'
import type { Exchange, Exchanged } from './exchange.ts'
import { httpFacts } from './facts.ts'
import { sayExchange, sayFault, unavailable, withdrawn } from './link-outcomes.ts'
import { BalanceWatch } from './balance-watch.ts'
import { CallWatch } from './call-watch.ts'
import type { ReceiptPolls } from './receipt-polls.ts'
import { createPolls, hasReceipts, isCalled } from './receipt-ways.ts'
import type { HttpSettings } from './settings.ts'
import { Unknowns } from './unknowns.ts'

interface Deps {
  tools: ConnectorTools
  events: ConnectorEvents
  /** Null for a device without a valid declaration. */
  exchange: Exchange | null
}

interface Plan {
  declaration: Declaration | null
  settings: HttpSettings | null
}

/** Wake-ups for single tokens of a fast link are combined. */
const minWakeMs = 10

/** A link to an account at a provider: one request for each message. */
export class HttpLink implements Link {
  readonly capabilities: Capabilities
  readonly #deps: Deps
  readonly #window: number
  readonly #throttle: Throttle
  readonly #state: AccountState
  readonly #unknowns: Unknowns | null
  readonly #polls: ReceiptPolls | null
  readonly #balance: BalanceWatch | null
  /** Null where the provider need not call. */
  readonly #calls: CallWatch | null
  #phase: 'new' | 'running' | 'stopping' = 'new'
  #open = 0
  /** There was no room at the last look: a caller is notified when there is. */
  #isFull = false
  #whenNone: (() => void)[] = []
  #cancelWake: (() => void) | null = null

  constructor(deps: Deps, { declaration, settings }: Plan) {
    this.#deps = deps
    this.#window = settings?.window ?? 1
    this.#throttle = new Throttle(deps.tools, settings?.maxPerSecond ?? null)
    this.capabilities = {
      ...httpFacts.carries,
      deliveryReports:
        declaration !== null && settings !== null && hasReceipts(declaration, settings, deps.tools),
      maxParts: declaration?.max_parts ?? httpFacts.carries.maxParts,
      encodingChoice: declaration?.encoding === 'told',
    }
    this.#state = new AccountState({
      tools: deps.tools,
      changed: () => this.#changed(),
      probe: () => void this.#probe(),
    })
    const { tools, events, exchange } = deps
    const expectsCalls = declaration !== null && settings !== null && isCalled(declaration, settings, tools)
    this.#calls = expectsCalls ? new CallWatch({ tools, changed: () => this.#changed() }) : null
    this.#unknowns =
      exchange === null
        ? null
        : new Unknowns({
            tools,
            events,
            exchange,
            resolveMs: settings?.resolveMs ?? 0,
            accepted: (ids) => this.#took(ids),
            outcomeOf: (exchanged, { submission }) => this.#read(exchanged, submission),
          })
    this.#polls = exchange === null || settings === null ? null : createPolls(deps, exchange, settings)
    this.#balance =
      exchange === null
        ? null
        : new BalanceWatch({
            tools,
            exchange,
            alertAt: settings?.balanceAlert ?? null,
            changed: () => this.#changed(),
          })
  }

  get window(): number {
    if (this.#state.isResting) return 0
    // While it is not known whether the account works again, one message finds out.
    const most = this.#state.fault === null ? this.#window : 1
    this.#isFull = this.#open >= most
    return this.#open + Math.min(Math.max(0, most - this.#open), this.#roomOrWakeLater())
  }

  get perSecond(): number {
    return this.#throttle.perSecond
  }

  health(): Health {
    return healthOf({
      phase: this.#phase,
      state: this.#state,
      isThrottled: this.#throttle.isThrottled,
      isBalanceLow: this.#balance?.isLow === true,
      areCallsMissing: this.#calls?.isMissing === true,
      balance: this.#balance?.balance ?? null,
      nowMs: this.#deps.tools.now(),
    })
  }

  async start(): Promise<void> {
    if (this.#phase !== 'new') return
    this.#phase = 'running'
    if (this.#deps.exchange === null)
      this.#state.fails({ reason: 'invalid_settings', detail: 'The device has no valid declaration.' })
    else this.#changed()
    this.#balance?.start()
  }

  /** What was accepted before this start, and still waits for a receipt, is looked up too. */
  resume(expected: readonly { networkId: string }[]): void {
    this.#polls?.expect(expected.map(({ networkId }) => networkId))
  }

  /** What was submitted before this start, and may have been accepted, is asked for. */
  resumeUnknown(past: readonly PastSubmission[]): void {
    this.#unknowns?.resume(past)
  }

  /** The provider called, about anything. */
  called(): void {
    this.#calls?.called()
  }

  /** The provider called about a message. */
  told(networkId: string): void {
    this.#polls?.told(networkId)
  }

  async submit(submission: Submission): Promise<Outcome> {
    const { exchange } = this.#deps
    if (this.#phase !== 'running' || exchange === null) return unavailable('The link is not running.')
    if (this.#state.isResting) return unavailable(sayFault(this.#state.fault))
    this.#open += 1
    try {
      return await this.#exchange(exchange, submission)
    } finally {
      this.#open -= 1
      if (this.#open === 0) for (const resolve of this.#whenNone.splice(0)) resolve()
      if (this.#isFull) this.#wakeLater(0)
    }
  }

  hurry(): void {
    this.#phase = 'stopping'
    this.#cancelWake?.()
    this.#cancelWake = null
    this.#unknowns?.hurry()
    this.#polls?.stop()
    this.#balance?.stop()
    this.#calls?.stop()
  }

  async stop(): Promise<void> {
    this.hurry()
    if (this.#open > 0) await new Promise<void>((resolve) => this.#whenNone.push(resolve))
    this.#state.stop()
    this.#deps.exchange?.close?.()
  }

  async #exchange(exchange: Exchange, submission: Submission): Promise<Outcome> {
    const { tools } = this.#deps
    const request = exchange.buildSubmission(submission)
    if (typeof request === 'string') return this.#fails({ reason: 'invalid_settings', detail: request })
    const endMs = tools.monotonicMs() + (submission.validityMs ?? submission.validitySeconds * 1_000)
    const mayWrite = (): boolean =>
      submission.isKnownOptedOut?.() !== true && tools.mayWrite?.() !== false && tools.monotonicMs() < endMs
    this.#throttle.spend(1)
    const [startedMs, beganAt] = [tools.monotonicMs(), tools.now()]
    const exchanged = await exchange.send(request, mayWrite)
    const said = sayExchange(exchanged)
    if (said !== null) tools.counters?.answered(said, (tools.monotonicMs() - startedMs) / 1_000)
    if (exchanged.kind === 'not_sent') {
      this.#throttle.spend(-1)
      if (exchanged.reason === 'withdrawn') return withdrawn(tools.monotonicMs() >= endMs)
      return this.#fails(exchanged)
    }
    const outcome = this.#read(exchanged, submission)
    if (outcome.kind !== 'unknown' || this.#unknowns === null) return outcome
    const tookMs = tools.monotonicMs() - startedMs
    const unknown = { submission, request, beganAt, endedAt: tools.now(), tookMs }
    const settled = await this.#unknowns.settle(unknown, outcome, mayWrite)
    if (settled.kind === 'accepted') this.#took(settled.networkIds)
    return settled
  }

  /** Returns what an exchange means for a message, and applies what it says about the account. */
  #read(exchanged: Exchanged, submission: Submission): Outcome {
    if (exchanged.kind !== 'answered' || this.#deps.exchange === null)
      return {
        kind: 'unknown',
        networkIds: [],
        partsTaken: 0,
        detail: exchanged.kind === 'answered' ? 'The link has no declaration.' : exchanged.detail,
      }
    const answered = readAnswer(this.#deps.exchange.declaration, exchanged.answer)
    this.#heed(answered)
    this.#compareParts(answered, submission)
    const outcome = outcomeOf(answered, submission, this.capabilities.deliveryReports)
    if (outcome.kind === 'accepted' || outcome.kind === 'partial') this.#took(outcome.networkIds)
    return outcome
  }

  /** Another count than ours changes no charge: it is counted and logged. */
  #compareParts(answered: Answered, { parts }: Submission): void {
    if (answered.kind !== 'accepted' || answered.parts === null || answered.parts === parts) return
    const form = `${answered.parts} parts counted by the provider, ${parts} here`
    this.#deps.tools.counters?.unparsed('rest', form)
  }

  #took(ids: readonly string[]): void {
    this.#unknowns?.took(ids)
    this.#polls?.expect(ids)
    this.#calls?.accepted()
  }

  /** Applies what an answer says about the account, as opposed to the message. */
  #heed(answered: Answered): void {
    if (answered.kind === 'refused' && answered.means === 'device') {
      this.#state.fails({
        reason: answered.reason,
        detail: `the provider answered ${answered.networkCode ?? ''}`,
      })
      return
    }
    this.#state.works()
    if (answered.kind === 'accepted') this.#throttle.taken()
    if (answered.kind === 'refused' && answered.means === 'busy') this.#slowDown(answered.restMs)
  }

  #slowDown(restMs: number | null): void {
    const { isThrottled } = this.#throttle
    this.#throttle.tooMuch()
    if (restMs !== null) this.#throttle.rest(restMs)
    if (!isThrottled) this.#changed()
  }

  #fails(fault: AccountFault): Outcome {
    this.#state.fails(fault)
    return unavailable(sayFault(fault))
  }

  /** Without a request that submits nothing, the next message shows whether the account works. */
  async #probe(): Promise<void> {
    const { exchange, tools } = this.#deps
    const { balance } = exchange?.declaration ?? {}
    if (this.#phase !== 'running') return
    if (exchange === null) return
    if (balance === undefined) return this.#state.assume()
    const exchanged = await exchange.ask(balance, {})
    if (this.#phase !== 'running') return
    this.#balance?.read(exchanged)
    if (exchanged.kind === 'not_sent') this.#state.fails(exchanged)
    else if (exchanged.kind === 'answered' && [401, 403].includes(exchanged.answer.status))
      this.#state.fails({
        reason: 'credentials_refused',
        detail: `the provider answered ${exchanged.answer.status}`,
      })
    else this.#state.assume()
    tools.log('debug', 'the account was probed', { fault: this.#state.fault?.reason ?? null })
  }

  #roomOrWakeLater(): number {
    const { room } = this.#throttle
    if (room === 0) this.#wakeLater(this.#throttle.roomInMs)
    return room
  }

  #wakeLater(ms: number): void {
    if (this.#phase !== 'running') return
    this.#cancelWake ??= this.#deps.tools.schedule(Math.max(minWakeMs, ms), () => {
      this.#cancelWake = null
      this.#isFull = false
      if (this.#phase === 'running') this.#deps.events.healthChanged()
    })
  }

  #changed(): void {
    if (this.#phase === 'running') this.#deps.events.healthChanged()
  }
}

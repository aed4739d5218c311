import type { Capabilities, ConnectorEvents, Link, Outcome, Submission } from '../connector.ts'
import type { Health } from '../health.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { References } from '../../sms/references.ts'
import { traceLine } from './at/trace-line.ts'
import { healthOf } from './link-health.ts'
import { createTaker } from './receive/take-tpdu.ts'
import { Unstored } from './receive/unstored.ts'
import { WaitingReports } from './receive/waiting-reports.ts'
import { CreditWatch } from './run/credit-watch.ts'
import { LatePart } from './run/late-part.ts'
import { ModemSession } from './run/modem-session.ts'
import type { SessionReason } from './run/session-reason.ts'
import { Rest } from './run/rest.ts'
import type { ModemSettings } from './settings.ts'
import { pduParts } from './submit/pdu-parts.ts'
import { sendMessage } from './submit/send-message.ts'
import { sendPart } from './submit/send-part.ts'

interface Deps {
  tools: ConnectorTools
  events: ConnectorEvents
  settings: ModemSettings
  capabilities: Capabilities
  pin: string | null
  /** Reads changed settings; null where they need another link. */
  reread(given: Readonly<Record<string, string>>): ModemSettings | null
}

/**
 * A line is opened again at growing intervals: a stick that restarts is back within seconds. Whether a path is there
 * costs nothing to ask, so that one that was missing is opened as soon as it is back.
 */
const reopenMs = { first: 1_000, longest: 30_000 } as const
/** A message in flight is finished when the link stops, as far as this goes; then the rest of it stays here. */
const finishMs = 25_000
/** More receipts than a SIM can await: days of messages. */
const maxExpected = 50_000
/** Until it is measured: a part takes some seconds on the air. */
const usualPartMs = 5_000

/** No PIN is tried where no mark can be stored. */
const noMarks = { mark: () => Promise.resolve(false), unmark: () => Promise.resolve() }

/**
 * A modem: its line, which is opened again when it ends, and one message at a time, of which no part is ever repeated
 * (decision 67).
 */
export class ModemLink implements Link {
  readonly capabilities: Capabilities
  readonly resumesFirst = { most: maxExpected }
  /** The line is busy for seconds with each part: nothing is gained by claiming ahead. */
  readonly ahead = 0
  readonly #deps: Deps
  #settings: ModemSettings
  readonly #references: References
  readonly #reports: WaitingReports
  readonly #take: ReturnType<typeof createTaker>
  readonly #unstored: Unstored
  readonly #late: LatePart
  readonly #rest: Rest
  readonly #credit: CreditWatch | null
  #inFlight = 0
  #session: ModemSession | null = null
  #phase: 'new' | 'running' | 'stopping' = 'new'
  #finishUntilMs = Number.POSITIVE_INFINITY
  #lastSeenAt: number | null = null
  #partMs = usualPartMs
  #status: Health['status'] = 'pending'
  #refusesMore = false
  /** The messages that were submitted, one after the other. */
  #sending: Promise<unknown> = Promise.resolve()
  #ended: Promise<void> = Promise.resolve()
  #wake: () => void = () => undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#settings = deps.settings
    this.capabilities = deps.capabilities
    this.#references = new References(deps.tools.random())
    this.#reports = new WaitingReports(deps.tools)
    this.#take = createTaker({
      events: deps.events,
      reports: this.#reports,
      noneOpen: () => this.#sending.then(() => undefined),
      ...(deps.tools.counters && { counters: deps.tools.counters }),
    })
    this.#unstored = new Unstored({ tools: deps.tools, take: this.#take })
    this.#late = new LatePart(deps.events, deps.settings.encoding.receipts)
    this.#rest = new Rest(deps.tools, () => this.#changed())
    const { credit } = deps.settings
    const isIdle = (): boolean => this.#inFlight === 0
    this.#credit =
      credit &&
      new CreditWatch({ tools: deps.tools, settings: credit, isIdle, changed: () => this.#changed() })
  }

  get window(): number {
    return this.#phase === 'running' && this.#session?.canSend === true && !this.#rest.isResting ? 1 : 0
  }

  get perSecond(): number {
    return 1_000 / this.#partMs
  }

  health(): Health {
    return healthOf({
      phase: this.#phase,
      session: this.#session,
      rest: this.#rest,
      credit: this.#credit?.credit ?? null,
      lastSeenAt: this.#lastSeenAt,
      nowMs: this.#deps.tools.now(),
    })
  }

  async start(): Promise<void> {
    if (this.#phase !== 'new') return
    this.#phase = 'running'
    this.#ended = this.#runSessions()
  }

  /** Restores the parts whose reports are still expected. */
  resume(expected: readonly { networkId: string }[]): void {
    for (const { networkId } of expected) this.#reports.resume(networkId)
  }

  submit(submission: Submission): Promise<Outcome> {
    if (this.#phase !== 'running') return Promise.resolve(unavailable('The link is not running.'))
    this.#inFlight += 1
    const sent = this.#sending.then(() => this.#send(submission)).finally(() => (this.#inFlight -= 1))
    this.#sending = sent
    return sent
  }

  applySettings(given: Readonly<Record<string, string>>): boolean {
    const settings = this.#deps.reread(given)
    if (settings !== null) this.#settings = settings
    return settings !== null
  }

  hurry(): void {
    if (this.#phase === 'running') this.#finishUntilMs = this.#deps.tools.monotonicMs() + finishMs
    this.#phase = 'stopping'
  }

  async stop(): Promise<void> {
    this.hurry()
    await this.#sending
    this.#session?.close()
    this.#rest.stop()
    this.#wake()
    await this.#ended
    await this.#unstored.stop()
  }

  async #send(submission: Submission): Promise<Outcome> {
    const { tools } = this.#deps
    const settings = this.#settings
    const session = this.#session
    const channel = session?.channel ?? null
    if (session === null || channel === null || !session.canSend)
      return unavailable('The modem cannot send now.')
    try {
      const parts = pduParts(submission, settings.concat, () => this.#references.next(submission.to))
      return await sendMessage(
        {
          tools,
          settings: settings.encoding,
          sendPart: async (part) => {
            this.#late.forget()
            const startMs = tools.monotonicMs()
            const outcome = await sendPart(
              {
                channel,
                overrides: settings.overrides,
                sendTimeoutMs: settings.sendTimeoutMs,
                nameOf: (reference) => this.#reports.sent(reference, submission.to),
                faulty: (fault) => {
                  this.#rest.faulty(fault, submission.to)
                  session.faulty(fault)
                },
              },
              part,
            )
            if (outcome.kind === 'taken') this.#tookPart(tools.monotonicMs() - startMs)
            return outcome
          },
          announceParts: () => this.#announceParts(session),
          mayContinue: () => tools.monotonicMs() < this.#finishUntilMs,
          mayBeLate: (outcomes, part) =>
            this.#late.expect({ attemptId: submission.attemptId, outcomes, part, to: submission.to }),
        },
        submission,
        parts,
      )
    } catch (error) {
      // What cannot be encoded never can: no number, or a text that is too long.
      if (!(error instanceof RangeError)) throw error
      return { kind: 'refused', lasts: 'good', code: 'device_error', networkCode: error.message }
    }
  }

  /** 3GPP TS 27.005, section 3.5.6. A modem that refuses it (Huawei E1752: CMS 500) is not asked again. */
  async #announceParts({ channel }: Pick<ModemSession, 'channel'>): Promise<void> {
    if (this.#refusesMore || channel === null) return
    const timeoutMs = this.#settings.session.commandTimeoutMs
    const { kind } = await channel.ask({ text: 'AT+CMMS=2', timeoutMs })
    this.#refusesMore = kind === 'error'
  }

  /** The pace is that of the last parts, the latest ones first. */
  #tookPart(tookMs: number): void {
    this.#rest.worked()
    this.#partMs = Math.max(1, 0.8 * this.#partMs + 0.2 * tookMs)
  }

  async #runSessions(): Promise<void> {
    let waitMs: number = reopenMs.first
    while (this.#phase === 'running') {
      const session = this.#createSession(this.#session?.reasons[0] ?? null)
      this.#session = session
      await session.run()
      this.#late.forget()
      const isMissing = session.reasons[0] === 'port_missing'
      if (session.wasUp || isMissing) waitMs = reopenMs.first
      await this.#sleep(waitMs)
      waitMs = Math.min(2 * waitMs, reopenMs.longest)
    }
  }

  #createSession(before: SessionReason | null): ModemSession {
    const { tools, pin } = this.#deps
    const { open, session } = this.#settings
    return new ModemSession({
      tools,
      open,
      settings: session,
      before,
      marks: tools.marks ?? noMarks,
      pin,
      take: this.#take,
      keep: (tpdu) => this.#unstored.keep(tpdu),
      credit: this.#credit,
      late: (reference) => this.#late.answered((to) => this.#reports.sent(reference, to)),
      changed: () => this.#changed(),
      trace: (direction, text) => {
        if (this.#settings.trace) tools.log('info', `AT ${direction}`, { line: traceLine(text) })
      },
    })
  }

  #sleep(ms: number): Promise<void> {
    if (this.#phase !== 'running') return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#deps.tools.schedule(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }

  #changed(): void {
    const { tools, events } = this.#deps
    if ((this.#session?.channel ?? null) !== null) this.#lastSeenAt = tools.now()
    const { status, reasons } = this.health()
    if (status !== this.#status)
      tools.log(status === 'offline' ? 'warn' : 'info', 'the link changed', { status, reasons })
    this.#status = status
    events.healthChanged()
  }
}

const unavailable = (detail: string): Outcome => ({ kind: 'unavailable', detail })

import type { Health } from '../../health.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import type { AtLine } from '../at/at-command.ts'
import type { LineReason, OpenLine } from '../line/line.ts'
import type { SessionReason } from './session-reason.ts'
import type { SweepDeps } from '../receive/sweep.ts'
import type { DeviceFault } from '../submit/error-class.ts'
import { type Connection, connect } from './connection.ts'
import type { CreditWatch } from './credit-watch.ts'
import { type BringUpDeps, type BringUpSettings, bringUp } from '../setup/bring-up.ts'
import { type NetworkSettings, NetworkWatch } from './network-watch.ts'
import { ReadyModem } from './ready-modem.ts'
import { SessionTasks } from './session-tasks.ts'
import { readNotice } from './unsolicited.ts'

export interface SessionSettings extends BringUpSettings, NetworkSettings {
  pauseMs: number
  commandTimeoutMs: number
  /** After this much idle time the modem is asked whether it is there. */
  keepAliveMs: number
}

export interface SessionDeps extends Pick<BringUpDeps, 'marks' | 'pin'> {
  tools: ConnectorTools
  open: OpenLine
  settings: SessionSettings
  /** Why the session before this one ended, which is still the reason while the line is opened; null for the first. */
  before: SessionReason | null
  take: SweepDeps['take']
  /** Keeps what could not be stored, and comes neither from the modem nor from the network again. */
  keep(tpdu: Buffer): void
  /** The credit of the SIM, over all sessions; null where nothing is asked. */
  credit: CreditWatch | null
  /** A reference that no command asked for: the answer to a part that had timed out. */
  late(reference: number): void
  changed(): void
  trace(direction: 'sent' | 'received', text: string): void
}

/** How often received messages are looked for, the network is asked after, and settings are read back. */
const lookMs = 60_000
/**
 * How soon that is done first. Where a modem did not take the refusal of what was left unacknowledged, the time of that has
 * run out by then (TR2M, less than 20 s: 3GPP TS 24.011, section 10.1), and the modem reports nothing any more.
 */
const firstLookMs = 20_000
/** After this a modem is made ready again where that could not be completed, such as while the database takes no mark. */
const bringUpAgainMs = 5_000
/** Errors of a part after which the SIM must be looked at again: it was pulled, changed, or locked by a restart. */
const faultsOfSim: ReadonlySet<DeviceFault> = new Set(['no_sim', 'sim_pin', 'sim_puk'])

/** One session with a modem: a line, from its opening to its end. */
export class ModemSession {
  readonly #deps: SessionDeps
  #connection: Connection | null = null
  #watch: NetworkWatch | null = null
  #ready: ReadyModem | null = null
  #reason: SessionReason | null
  #detail: string | null = null
  #mustBringUp = false
  #wasUp = false
  readonly #tasks: SessionTasks
  #isClosed = false
  #hasEnded = false

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#reason = deps.before ?? 'connecting'
    this.#tasks = new SessionTasks({ tools: deps.tools, isOver: () => this.#isOver })
  }

  get channel(): Connection['channel'] | null {
    return this.#ready === null ? null : (this.#connection?.channel ?? null)
  }

  /** Whether the line is open, also to a modem that cannot be used. */
  get isOpen(): boolean {
    return this.#watch !== null
  }

  get network(): Health['network'] {
    return this.#watch?.network ?? null
  }

  /** Machine-readable, worst first; empty when all is well. */
  get reasons(): SessionReason[] {
    if (this.#reason !== null) return [this.#reason]
    const isLost = this.network?.registered === false
    return [
      ...(this.#watch?.hasServiceCentre === false ? (['no_smsc'] as const) : []),
      ...(isLost ? (['not_registered'] as const) : []),
      ...(this.#ready?.reasons ?? []),
      ...(this.#deps.credit?.isLow === true ? (['credit_low'] as const) : []),
    ]
  }

  get detail(): string | null {
    return this.#detail
  }

  /** Whether a message can be sent now. */
  get canSend(): boolean {
    return this.channel !== null && this.#reason === null && this.#watch?.hasServiceCentre === true && this.network?.registered !== false
  } // prettier-ignore

  /** Whether the modem could be used on this line: the next one is then opened soon. */
  get wasUp(): boolean {
    return this.#wasUp
  }

  /** An error of a part concerns the modem: what is known of it may be out of date. */
  faulty(fault: DeviceFault): void {
    if (faultsOfSim.has(fault)) this.#bringUpSoon()
    else if (this.#ready !== null) this.#tasks.do(() => this.#look())
  }

  /** Opens the line and runs until it ends; resolves then, and never rejects. */
  async run(): Promise<void> {
    const { tools, open, settings, trace } = this.#deps
    try {
      const connection = await connect({
        tools,
        open,
        pauseMs: settings.pauseMs,
        commandTimeoutMs: settings.commandTimeoutMs,
        unsolicited: (line) => this.#heed(line),
        trace,
      })
      this.#connection = connection
      this.#watch = new NetworkWatch({ ask: connection.ask, tools, settings })
      this.#reason = 'connecting'
      if (this.#isClosed) connection.close()
      this.#bringUpSoon()
      const fault = await connection.ended
      // Why it could not be used says more than that its line was closed then.
      const isKnown = this.#reason !== null && this.#reason !== 'connecting'
      this.#end(isKnown ? this.#reason : fault.reason, fault.message)
    } catch (error) {
      this.#end((error as { reason?: LineReason }).reason ?? 'port_failed', (error as Error).message)
    }
    await this.#tasks.ended
  }

  /** Closes the line. What is in flight on it ends as it would with any line. */
  close(): void {
    this.#isClosed = true
    this.#connection?.close()
  }

  #end(reason: SessionReason | null, detail: string): void {
    this.#hasEnded = true
    this.#tasks.cancelAll()
    this.#ready = null
    this.#watch = null
    this.#reason = reason
    this.#detail = detail
    this.#deps.changed()
  }

  #bringUpSoon(): void {
    if (this.#mustBringUp) return
    this.#mustBringUp = true
    this.#tasks.do(() => this.#bringUp())
  }

  async #bringUp(): Promise<void> {
    this.#mustBringUp = false
    this.#tasks.cancelAll()
    try {
      await this.#makeReady()
    } catch (error) {
      if (!this.#isOver) this.#isUnready()
      throw error
    }
  }

  /** Timers are set once a modem is ready: without this one nothing would be asked again on this line. */
  #isUnready(): void {
    this.#ready = null
    this.#reason = 'connecting'
    this.#tasks.later(bringUpAgainMs, () => this.#bringUpSoon())
    this.#deps.changed()
  }

  async #makeReady(): Promise<void> {
    const { tools, settings, marks, pin, take, changed } = this.#deps
    const { ask, close } = this.#connection as Connection
    const result = await bringUp({ ask, tools, settings, marks, pin })
    if (this.#isOver) return
    if (result.kind === 'fault') {
      this.#reason = result.fault
      this.#ready = null
      changed()
      // A modem that does not answer may do so on a line that is opened again; another fault waits for a person.
      this.#tasks.later(lookMs, close)
      return
    }
    this.#ready = new ReadyModem({ ask, take }, result)
    this.#watch?.broughtUp(result)
    this.#wasUp = true
    await this.#look()
    if (this.#isOver) return
    this.#reason = null
    changed()
    this.#keepLooking(firstLookMs)
    this.#keepAlive()
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#hasEnded || this.#connection === null
  }

  /** Reads the network and all that was received, and whether the modem is still as it was made ready. */
  async #look(): Promise<void> {
    const ready = this.#ready
    if (ready === null) return
    await this.#watch?.look()
    const isSame = await ready.isSame()
    if (isSame) await ready.memories.sweep()
    else this.#bringUpSoon()
    if (isSame && this.canSend) await this.#deps.credit?.look((this.#connection as Connection).ask)
    this.#deps.changed()
  }

  #keepLooking(afterMs: number): void {
    this.#tasks.later(afterMs, () => {
      this.#tasks.do(() => this.#look())
      this.#keepLooking(lookMs)
    })
  }

  /** A vanished line may be silent until it is written to. */
  #keepAlive(): void {
    this.#tasks.later(this.#deps.settings.keepAliveMs, () => {
      this.#tasks.do(async () => {
        const connection = this.#connection as Connection
        const { kind } = await connection.ask('AT')
        if (kind === 'timeout') connection.close()
      })
      this.#keepAlive()
    })
  }

  #heed(line: AtLine): void {
    const ask = this.#connection?.ask
    if (ask !== undefined && this.#deps.credit?.take(line.text, ask) === true) return
    const notice = readNotice(line)
    switch (notice?.kind) {
      case undefined:
        return
      case 'late':
        return this.#deps.late(notice.reference)
      case 'restarted':
        this.#connection?.channel.lostStep()
        return this.#bringUpSoon()
      case 'sim':
        // Some repeat it while they are made ready.
        return this.#ready === null ? undefined : this.#bringUpSoon()
      case 'off':
        this.#deps.tools.log('warn', 'a modem switched itself off', { words: notice.words })
        return this.#connection?.close()
      case 'arrived':
        return this.#tasks.doAnyway(() => this.#arrived(notice.tpdu))
      case 'stored':
        return this.#tasks.do(async () => this.#ready?.memories.announced(notice))
      case 'full':
      case 'lost':
        return this.#tasks.do(async () => this.#ready?.memories.sweep())
    }
  }

  /**
   * Acknowledged once it is stored. What is not stored is refused (3GPP TS 27.005, section 3.4.4), so that the network
   * brings it again: after a mere silence the modem would report no further ones. Where the modem has acknowledged it, it is
   * kept here.
   */
  async #arrived(tpdu: Buffer): Promise<void> {
    const taken = await this.#deps.take(tpdu)
    if (this.#ready?.acknowledges === true)
      await this.#connection?.ask(taken === 'kept' ? 'AT+CNMA=2' : 'AT+CNMA')
    else if (taken === 'kept') this.#deps.keep(tpdu)
  }
}

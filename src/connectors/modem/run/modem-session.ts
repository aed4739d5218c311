import type { Health } from '../../health.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import type { AtLine } from '../at/at-command.ts'
import type { LineReason, OpenLine } from '../line/line.ts'
import type { SessionReason } from './session-reason.ts'
import { Memories } from '../receive/memories.ts'
import type { SweepDeps } from '../receive/sweep.ts'
import type { DeviceFault } from '../submit/error-class.ts'
import { type Connection, connect } from './connection.ts'
import type { CreditWatch } from './credit-watch.ts'
import { type BringUpDeps, type BringUpSettings, bringUp, type BroughtUp } from '../setup/bring-up.ts'
import { readSimMark } from '../setup/identity.ts'
import { hasIndications } from '../setup/indications.ts'
import { type NetworkSettings, NetworkWatch } from './network-watch.ts'
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
  /** The credit of the SIM, over all sessions; null where nothing is asked. */
  credit: CreditWatch | null
  /** A reference that no command asked for: the answer to a part that had timed out. */
  late(reference: number): void
  changed(): void
  trace(direction: 'sent' | 'received', text: string): void
}

type Up = Extract<BroughtUp, { kind: 'up' }>

/** What there is of a modem that was made ready on this line. */
interface Ready {
  up: Up
  memories: Memories
}

/** How often received messages are looked for, the network is asked after, and settings are read back. */
const lookMs = 60_000
/** Errors of a part after which the SIM must be looked at again: it was pulled, changed, or locked by a restart. */
const faultsOfSim: ReadonlySet<DeviceFault> = new Set(['no_sim', 'sim_pin', 'sim_puk'])

/** One session with a modem: a line, from its opening to its end. */
export class ModemSession {
  readonly #deps: SessionDeps
  #connection: Connection | null = null
  #watch: NetworkWatch | null = null
  #ready: Ready | null = null
  #reason: SessionReason | null
  #detail: string | null = null
  #mustBringUp = false
  #wasUp = false
  #cancels = new Set<() => void>()
  #tasks: Promise<void> = Promise.resolve()
  #isClosed = false
  #hasEnded = false

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#reason = deps.before ?? 'connecting'
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
      ...(this.#ready?.memories.isFull === true ? (['storage_full'] as const) : []),
      ...(this.#ready?.up.storage.isNone === true ? (['receives_nothing'] as const) : []),
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
    else if (this.#ready !== null) void this.#do(() => this.#look())
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
    await this.#tasks
  }

  /** Closes the line. What is in flight on it ends as it would with any line. */
  close(): void {
    this.#isClosed = true
    this.#connection?.close()
  }

  #end(reason: SessionReason | null, detail: string): void {
    this.#hasEnded = true
    this.#cancelAll()
    this.#ready = null
    this.#watch = null
    this.#reason = reason
    this.#detail = detail
    this.#deps.changed()
  }

  #bringUpSoon(): void {
    if (this.#mustBringUp) return
    this.#mustBringUp = true
    void this.#do(() => this.#bringUp())
  }

  async #bringUp(): Promise<void> {
    this.#mustBringUp = false
    this.#cancelAll()
    const { tools, settings, marks, pin, take, changed } = this.#deps
    const { ask, close } = this.#connection as Connection
    const result = await bringUp({ ask, tools, settings, marks, pin })
    if (this.#isOver) return
    if (result.kind === 'fault') {
      this.#reason = result.fault
      this.#ready = null
      changed()
      // A modem that does not answer may do so on a line that is opened again; another fault waits for a person.
      this.#later(lookMs, close)
      return
    }
    this.#ready = { up: result, memories: new Memories({ ask, take }, result.storage) }
    this.#watch?.broughtUp(result)
    this.#wasUp = true
    await this.#look()
    if (this.#isOver) return
    this.#reason = null
    changed()
    this.#keepLooking()
    this.#keepAlive()
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#hasEnded || this.#connection === null
  }

  /** Reads the network and all that was received, and whether the modem is still as it was made ready. */
  async #look(): Promise<void> {
    const { ask } = this.#connection as Connection
    if (this.#ready === null) return
    const { up, memories } = this.#ready
    await this.#watch?.look()
    // After an acknowledgement that it missed, or a restart that it did not report, it announces nothing.
    const isSame = (await hasIndications(ask, up.indications)) && (await this.#isSameSim(up))
    if (isSame) await memories.sweep()
    else this.#bringUpSoon()
    if (isSame && this.canSend) await this.#deps.credit?.look(ask)
    this.#deps.changed()
  }

  /** A SIM that was changed on an open line is another device. */
  async #isSameSim({ simMark, profile }: Up): Promise<boolean> {
    if (simMark === null) return true
    const mark = await readSimMark((this.#connection as Connection).ask, profile)
    return mark === null || mark === simMark
  }

  #keepLooking(): void {
    this.#later(lookMs, () => {
      void this.#do(() => this.#look())
      this.#keepLooking()
    })
  }

  /** A vanished line may be silent until it is written to. */
  #keepAlive(): void {
    this.#later(this.#deps.settings.keepAliveMs, () => {
      void this.#do(async () => {
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
        return void this.#do(() => this.#arrived(notice.tpdu))
      case 'stored':
        return void this.#do(async () => this.#ready?.memories.announced(notice))
      case 'full':
      case 'lost':
        return void this.#do(async () => this.#ready?.memories.sweep())
    }
  }

  /**
   * Acknowledged once it is stored. What is not stored is refused (3GPP TS 27.005, section 3.4.4), so that the network
   * brings it again: after a mere silence the modem would report no further ones.
   */
  async #arrived(tpdu: Buffer): Promise<void> {
    const taken = await this.#deps.take(tpdu)
    if (this.#ready?.up.indications.acknowledges !== true) return
    await this.#connection?.ask(taken === 'kept' ? 'AT+CNMA=2' : 'AT+CNMA')
  }

  /** Runs what uses the memories one after the other: each chooses the one that it reads. */
  #do(task: () => Promise<void>): Promise<void> {
    const done = this.#tasks.then(() => (this.#isOver ? undefined : task()))
    this.#tasks = done.catch((error: unknown) => {
      this.#deps.tools.log('warn', 'a modem could not be asked', { error: (error as Error).message })
    })
    return this.#tasks
  }

  #cancelAll(): void {
    for (const cancel of this.#cancels) cancel()
    this.#cancels.clear()
  }

  #later(ms: number, task: () => void): void {
    if (this.#isOver) return
    const cancel = this.#deps.tools.schedule(ms, () => {
      this.#cancels.delete(cancel)
      task()
    })
    this.#cancels.add(cancel)
  }
}

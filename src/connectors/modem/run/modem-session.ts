import type { Health } from '../../connector.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import type { AtLine } from '../at/at-command.ts'
import type { LineReason, OpenLine } from '../line/line.ts'
import { fetchOne, isNearlyFull, sweep, type SweepDeps } from '../receive/sweep.ts'
import { type Connection, connect } from './connection.ts'
import {
  type BringUpDeps,
  type BringUpSettings,
  bringUp,
  type BroughtUp,
  type ModemFault,
} from '../setup/bring-up.ts'
import { hasIndications } from '../setup/indications.ts'
import { readOperator, readRegistration, readSignal } from '../setup/registration.ts'
import { readNotice } from './unsolicited.ts'

export interface SessionSettings extends BringUpSettings {
  pauseMs: number
  commandTimeoutMs: number
  /** After this much idle time the modem is asked whether it is there. */
  keepAliveMs: number
}

export interface SessionDeps extends Pick<BringUpDeps, 'marks' | 'pin'> {
  tools: ConnectorTools
  open: OpenLine
  settings: SessionSettings
  take: SweepDeps['take']
  /** A reference that no command asked for: the answer to a part that had timed out. */
  late(reference: number): void
  changed(): void
  trace?: (direction: 'sent' | 'received', text: string) => void
}

/** Why a session does not carry anything, or not everything. */
export type SessionReason =
  | LineReason
  | ModemFault
  | 'connecting'
  | 'not_registered'
  | 'no_smsc'
  | 'storage_full'

type Up = Extract<BroughtUp, { kind: 'up' }>

/** How often received messages are looked for, the network is asked after, and settings are read back. */
const lookMs = 60_000

/** One session with a modem: a line, from its opening to its end. */
export class ModemSession {
  readonly #deps: SessionDeps
  #connection: Connection | null = null
  #up: Up | null = null
  #reason: SessionReason | null = 'connecting'
  #detail: string | null = null
  #network: Health['network'] = null
  #isFull = false
  #mustBringUp = false
  #wasUp = false
  #cancels = new Set<() => void>()
  #tasks: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(deps: SessionDeps) {
    this.#deps = deps
  }

  get channel(): Connection['channel'] | null {
    return this.#up === null ? null : (this.#connection?.channel ?? null)
  }

  get facts(): Pick<Up, 'imei' | 'simMark' | 'maker' | 'model'> | null {
    return this.#up
  }

  get network(): Health['network'] {
    return this.#network
  }

  /** Machine-readable, worst first; empty when all is well. */
  get reasons(): SessionReason[] {
    if (this.#reason !== null) return [this.#reason]
    const isLost = this.#network?.registered === false
    return [
      ...(this.#up?.hasServiceCentre === false ? (['no_smsc'] as const) : []),
      ...(isLost ? (['not_registered'] as const) : []),
      ...(this.#isFull ? (['storage_full'] as const) : []),
    ]
  }

  get detail(): string | null {
    return this.#detail
  }

  /** Whether a message can be sent now. */
  get canSend(): boolean {
    return this.channel !== null && this.#reason === null && this.#up?.hasServiceCentre === true && this.#network?.registered !== false
  } // prettier-ignore

  /** Whether the modem could be used on this line: the next one is then opened soon. */
  get wasUp(): boolean {
    return this.#wasUp
  }

  /** An error of a part concerns the modem: what is known of it may be out of date. */
  lookSoon(): void {
    if (this.#up !== null) void this.#do(() => this.#look())
  }

  /** Opens the line and runs until it ends; resolves then, and never rejects. */
  async run(): Promise<void> {
    const { tools, open, settings, trace } = this.#deps
    try {
      this.#connection = await connect({
        tools,
        open,
        pauseMs: settings.pauseMs,
        commandTimeoutMs: settings.commandTimeoutMs,
        unsolicited: (line) => this.#heed(line),
        ...(trace && { trace }),
      })
      if (this.#isClosed) this.#connection.close()
      this.#bringUpSoon()
      const fault = await this.#connection.ended
      this.#end(fault.reason, fault.message)
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

  #end(reason: SessionReason, detail: string): void {
    this.#cancelAll()
    this.#up = null
    this.#network = null
    // Why it could not be used says more than that its line was closed then.
    if (this.#reason === null || this.#reason === 'connecting') this.#reason = reason
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
    const { tools, settings, marks, pin, changed } = this.#deps
    const connection = this.#connection as Connection
    const result = await bringUp({ ask: connection.ask, tools, settings, marks, pin })
    if (this.#isOver) return
    if (result.kind === 'fault') {
      this.#reason = result.fault
      this.#up = null
      changed()
      // A modem that does not answer may do so on a line that is opened again; another fault waits for a person.
      this.#later(lookMs, () => connection.close())
      return
    }
    this.#up = result
    this.#wasUp = true
    await this.#look()
    if (this.#isOver) return
    this.#reason = null
    changed()
    this.#keepLooking()
    this.#keepAlive()
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#connection === null
  }

  /** Reads the network and all that was received. */
  async #look(): Promise<void> {
    const { ask } = this.#connection as Connection
    const up = this.#up
    if (up === null) return
    const { registered, roaming } = await readRegistration(ask)
    const [signalDbm, operator] = [await readSignal(ask), await readOperator(ask)]
    this.#network = { registered, roaming, operator, signalDbm, transport: null, at: this.#deps.tools.now() }
    // After an acknowledgement that it missed, or a restart that it did not report, it announces nothing.
    if (!(await hasIndications(ask, up.indications))) this.#bringUpSoon()
    await this.#sweep()
    this.#deps.changed()
  }

  async #sweep(): Promise<void> {
    const { ask } = this.#connection as Connection
    const { storage } = this.#up as Up
    let isFull = false
    for (const memory of [...storage.swept, ...(storage.hasReports ? (['SR'] as const) : [])]) {
      const swept = await sweep({ ask, take: this.#deps.take }, memory)
      isFull ||= swept !== null && isNearlyFull(swept.used, swept.places)
    }
    this.#isFull = isFull
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
    const notice = readNotice(line)
    if (notice === null) return
    switch (notice.kind) {
      case 'late':
        return this.#deps.late(notice.reference)
      case 'restarted':
        this.#connection?.channel.lostStep()
        return this.#bringUpSoon()
      case 'arrived':
        return void this.#do(() => this.#arrived(notice.tpdu))
      case 'stored':
        return void this.#do(() => this.#stored(notice.memory, notice.index))
      case 'full':
      case 'lost':
        return void this.#do(() => this.#sweep())
    }
  }

  /**
   * Acknowledged once it is stored. What is not stored is refused (3GPP TS 27.005, section 3.4.4), so that the network
   * brings it again: after a mere silence the modem would report no further ones.
   */
  async #arrived(tpdu: Buffer): Promise<void> {
    const taken = await this.#deps.take(tpdu)
    if (this.#up?.indications.acknowledges !== true) return
    await this.#connection?.ask(taken === 'kept' ? 'AT+CNMA=2' : 'AT+CNMA')
  }

  async #stored(memory: string, index: number | null): Promise<void> {
    const { ask } = this.#connection as Connection
    const known = (['SM', 'ME', 'MT', 'SR'] as const).find((name) => name === memory)
    const isThere = known !== undefined && index !== null && (await fetchOne({ ask, take: this.#deps.take }, known, index)) // prettier-ignore
    if (!isThere && this.#up !== null) await this.#sweep()
  }

  /** Runs what uses the memories one after the other: each chooses the one that it reads. */
  #do(task: () => Promise<void>): Promise<void> {
    const done = this.#tasks.then(() => (this.#isClosed ? undefined : task()))
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
    if (this.#isClosed) return
    const cancel = this.#deps.tools.schedule(ms, () => {
      this.#cancels.delete(cancel)
      task()
    })
    this.#cancels.add(cancel)
  }
}

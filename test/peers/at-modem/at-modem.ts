import { type AtAnswer, type AtCall, type AtHandler, cme, cms, readCalls, refused } from './at-call.ts'
import { Arrivals, type Arriving } from './arrivals.ts'
import { generalCommands } from './general-commands.ts'
import { Memory } from './memories.ts'
import { messageCommands } from './message-commands.ts'
import type { ModemClock } from './modem-clock.ts'
import { ModemLine } from './modem-line.ts'
import type { ModemLog } from './modem-log.ts'
import {
  type AnswerRule,
  changeModem,
  type MemoryName,
  type ModemChange,
  type ModemSettings,
} from './modem-settings.ts'
import { type ModemState, startState } from './modem-state.ts'
import { networkCommands } from './network-commands.ts'
import { SimCard, type SimSettings } from './sim-card.ts'
import { simCommands } from './sim-commands.ts'
import { Submits } from './submits.ts'

export interface AtModemHost {
  modem: number
  clock: ModemClock
  log: ModemLog
  settings: ModemSettings
  sim: SimSettings | null
  nextSubmit(): number
}

/** What works without an unlocked SIM; names of basic commands are letters. */
const beforePin = /^(?:[A-Z]|&[A-Z]|\+CMEE|\+CPIN|\+CPINR|\^CPIN|\+QPINC|\+SPIC|\+CFUN|\+C?GM[IMR]|\+C?GSN|\+[QCIZ]*CCID|\^ICCID|\+CRSM|\+CREG|\+CSQ|\+CLCK|\+CLAC|\+GCAP)$/ // prettier-ignore
const aboutMessages = /^\+(?:CMG|CMS|CNM|CPMS|CSCA|CSMS|CSMP|CMMS|CSDH)/

/** One modem: its SIM, its memories, its line, and the SMSC behind it. */
export class AtModem {
  readonly host: AtModemHost
  readonly line: ModemLine
  readonly arrivals: Arrivals
  readonly submits: Submits
  readonly #memories: Readonly<Record<'ME' | 'SR', Memory>>
  readonly #handlers: Readonly<Record<string, AtHandler>>
  readonly #usedRules = new WeakMap<AnswerRule, number>()
  /** Ends the wait of the next answer that is held. */
  #held: ((answer: 'ok' | readonly string[]) => void)[] = []
  /** What the text at the open prompt is for. */
  #useText: ((text: string) => Promise<AtAnswer>) | null = null
  settings: ModemSettings
  state: ModemState
  card: SimCard | null
  /** Counts starts: what began before a reset says nothing after it. */
  generation = 0

  constructor(host: AtModemHost) {
    this.host = host
    this.settings = host.settings
    const { clock, log, modem } = host
    this.state = startState(this.settings)
    const { sizes, firstIndex } = this.settings.storage
    this.#memories = { ME: new Memory(sizes.ME ?? 0, firstIndex), SR: new Memory(sizes.SR ?? 0, firstIndex) }
    this.card = host.sim === null ? null : this.#cardOf(host.sim)
    this.line = new ModemLine({
      settings: () => (this.state.isOff ? { ...this.settings.line, silence: 'hung' } : this.settings.line),
      holdsBack: () => this.settings.indications.duringCommand === 'after',
      clock,
      log,
      modem,
      onCommand: (command) => this.#run(command),
      onText: (text, end) => this.#takeText(text, end),
      onHangUp: () => this.settings.line.atHangUp === 'reset' && this.reset(),
    })
    this.line.isEchoing = this.settings.line.echo !== 'off'
    this.arrivals = new Arrivals({
      modem,
      clock,
      log,
      settings: () => this.settings,
      routing: () => this.state,
      isReachable: () => this.isRegistered,
      smsc: () => this.card?.settings.smsc ?? '+491710760000',
      chosenMemory: () => this.state.memories[2],
      memory: (name) => this.memory(name),
      tell: (lines, now) => this.indicate(lines, now),
    })
    this.submits = new Submits({
      modem,
      clock,
      log,
      settings: () => this.settings,
      next: () => host.nextSubmit(),
      report: (arriving: Arriving) => this.arrivals.add(arriving),
    })
    this.#handlers = {
      ...generalCommands(this),
      ...simCommands(this),
      ...networkCommands(this),
      ...messageCommands(this),
    }
    if (!this.state.isReady) this.#becomeReady()
  }

  get isRegistered(): boolean {
    const { cs, ps, eps } = this.settings.network
    if (this.state.isOff) return false
    const isIn = [cs, ps, eps].some((stat) => stat !== null && [1, 5, 6, 7].includes(stat))
    return isIn && this.state.isOnAir && this.state.cfun === 1 && this.card?.state === 'ready'
  }

  memory(name: MemoryName): Memory | null {
    const { isOne, sizes } = this.settings.storage
    const memory =
      name === 'SM' || (name === 'ME' && isOne) ? (this.card?.memory ?? null) : this.#memories[name]
    if (memory !== null) memory.size = sizes[name === 'ME' && isOne ? 'SM' : name] ?? 0
    return memory
  }

  change(change: ModemChange): ModemSettings {
    const before = this.settings.network
    this.settings = changeModem(this.settings, change)
    if (change.network !== undefined) this.#tellRegistration(before)
    this.arrivals.pump()
    return this.settings
  }

  /** Power off and on. The SIM asks for its PIN again, and what was routed without an acknowledgement comes again. */
  reset(): void {
    this.generation += 1
    this.host.log.write({ kind: 'line', modem: this.host.modem, what: 'reset', detail: '' })
    this.card?.lock()
    this.state = startState(this.settings)
    this.line.reset()
    this.#useText = null
    this.#held = []
    this.arrivals.reset()
    for (const line of this.settings.identity.bootLines) this.line.tell([line], true)
    if (!this.state.isReady) this.#becomeReady()
  }

  /** Says that it goes off, as at too low a voltage, and is off until it is reset. */
  powerOff(lines: readonly string[]): void {
    for (const line of lines) this.line.tell([line], true)
    this.state.isOff = true
  }

  /** Pulls the card; with another, that one is in from now on. */
  changeCard(sim: SimSettings | null, lines: readonly string[]): void {
    this.card = sim === null ? null : this.#cardOf(sim)
    for (const line of lines) this.line.tell([line])
    this.arrivals.pump()
  }

  /** Lines of CNMI wait for its mode to leave 0. */
  indicate(lines: readonly string[], now = false): void {
    if (this.state.cnmi[0] === 0) this.state.buffered.push(lines)
    else if (this.state.isOnThisPort) this.line.tell(lines, now)
  }

  /** Gives the held answer, or with lines another one; false when none is held. */
  answerHeld(answer: 'ok' | readonly string[]): boolean {
    const [first] = this.#held.splice(0, 1)
    first?.(answer)
    return first !== undefined
  }

  waitForRelease(): Promise<'ok' | readonly string[]> {
    return new Promise((resolve) => this.#held.push(resolve))
  }

  wait(ms: number): Promise<void> {
    return ms <= 0 ? Promise.resolve() : new Promise((resolve) => this.host.clock.schedule(ms, resolve))
  }

  /** Opens the prompt; `use` gets what was written before Ctrl-Z. */
  prompt(use: (text: string) => Promise<AtAnswer>): void {
    this.#useText = use
    this.line.ask()
  }

  #cardOf(sim: SimSettings): SimCard {
    const { sizes, firstIndex } = this.settings.storage
    return new SimCard(sim, sizes.SM ?? 0, firstIndex)
  }

  #becomeReady(): void {
    const { generation } = this
    this.host.clock.schedule(this.settings.identity.readyAfterMs, () => {
      if (generation !== this.generation) return
      this.state.isReady = true
      for (const line of this.settings.identity.readyLines) this.line.tell([line])
    })
  }

  #tellRegistration(before: ModemSettings['network']): void {
    const now = this.settings.network
    for (const [name, key] of [
      ['+CREG', 'cs'],
      ['+CGREG', 'ps'],
      ['+CEREG', 'eps'],
    ] as const)
      // prettier-ignore
      if ((this.state.registrationMode[name] ?? 0) > 0 && now[key] !== null && now[key] !== before[key])
        this.line.tell([`${name}: ${now[key]}`])
  }

  async #run(command: string): Promise<void> {
    const { generation } = this
    this.host.log.write({ kind: 'command', modem: this.host.modem, command })
    if (command.toUpperCase() === this.settings.indications.otherPortUntil?.toUpperCase()) {
      this.state.isOnThisPort = true
      this.line.answer([], 'OK')
      return
    }
    await this.wait(this.settings.line.answerDelayMs)
    const rule = this.#ruleFor(command)
    if (rule !== null) {
      await this.wait(rule.delayMs ?? 0)
      if (generation === this.generation) this.line.answer(rule.lines, null)
      return
    }
    const calls = readCalls(command.slice(2))
    if (calls === null) this.line.answer([], this.#errorOf('ERROR'))
    else if (this.state.busyCommands > 0) {
      this.state.busyCommands -= 1
      this.line.answer([], this.#errorOf({ cme: 515 }))
    } else await this.#performAll(calls)
  }

  async #performAll(calls: readonly AtCall[]): Promise<void> {
    const { generation } = this
    const lines: string[] = []
    for (const call of calls) {
      const answer = this.#refusalOf(call) ?? (await this.#perform(call))
      if (generation !== this.generation) return
      lines.push(...answer.lines)
      if (answer.isSilent === true) {
        if (lines.length > 0) this.line.answer(lines, null)
        return
      }
      if (answer.error === undefined) continue
      this.line.answer(lines, this.#errorOf(answer.error))
      return
    }
    this.line.answer(lines, 'OK')
  }

  async #perform(call: AtCall): Promise<AtAnswer> {
    return (await this.#handlers[call.name]?.(call)) ?? refused
  }

  /** What the state of the modem and its SIM forbids. */
  #refusalOf({ name }: AtCall): AtAnswer | null {
    if (!(name in this.#handlers)) return refused
    const sim = this.card?.state ?? 'absent'
    const works = this.settings.identity.beforePin === 'usual' ? beforePin.test(name) : name === '+CPIN'
    if (sim !== 'ready' && !works) {
      const about = aboutMessages.test(name)
      if (sim === 'absent') return about ? cms(310) : cme(10)
      if (sim === 'pin') return about && this.settings.identity.beforePin === 'usual' ? cms(311) : cme(11)
      return about ? cms(316) : cme(12)
    }
    return !this.state.isReady && aboutMessages.test(name) ? cms(314) : null
  }

  #errorOf(error: NonNullable<AtAnswer['error']>): string {
    const { unknownCommand, errorForm } = this.settings.line
    if (error === 'ERROR') return unknownCommand
    const gap = errorForm === 'spaced' ? ' ' : ''
    if ('cms' in error) return `+CMS ERROR:${gap}${error.cms}`
    return this.state.cmee === 0 ? 'ERROR' : `+CME ERROR:${gap}${error.cme}`
  }

  async #takeText(text: string, end: 'ctrl-z' | 'escape'): Promise<void> {
    const use = this.#useText
    this.#useText = null
    if (end === 'escape' || use === null) {
      this.line.answer(this.settings.submit.escapeAnswer, null)
      return
    }
    if (this.settings.submit.repeatsPrompt) this.line.raw(Buffer.from(`\r\n${this.settings.line.prompt}`))
    const { generation } = this
    const answer = await use(text)
    if (generation !== this.generation) return
    if (answer.isSilent === true) this.line.answer(answer.lines, null)
    else this.line.answer(answer.lines, answer.error === undefined ? 'OK' : this.#errorOf(answer.error))
  }

  #ruleFor(command: string): AnswerRule | null {
    for (const rule of this.settings.answers.rules) {
      if (!new RegExp(rule.command, 'i').test(command)) continue
      const used = this.#usedRules.get(rule) ?? 0
      if (used >= (rule.skip ?? 0) + (rule.times ?? Infinity)) continue
      this.#usedRules.set(rule, used + 1)
      if (used >= (rule.skip ?? 0)) return rule
    }
    return null
  }
}

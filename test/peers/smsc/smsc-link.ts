import type { Socket } from 'node:net'
import { resetSocket } from '../reset-socket.ts'
import { type NpmPdu, npmSmpp, type NpmSession } from './npm-smpp.ts'
import type { LinkRecord, SmscLog } from './smsc-log.ts'
import type { SmscSettings } from './smsc-settings.ts'

/** What a link asks of the SMSC that it belongs to. */
export interface LinkHost {
  settings(): SmscSettings
  log: SmscLog
  /** The status for a bind. */
  judgeBind(pdu: NpmPdu): number
  bindDelayMs(): number
  onBound(link: SmscLink): void
  /** submit_sm and data_sm. */
  onSubmit(link: SmscLink, pdu: NpmPdu): void
  onQuery(link: SmscLink, pdu: NpmPdu): void
  onClosed(link: SmscLink): void
}

export type BindType = 'receiver' | 'transmitter' | 'transceiver'

/** A status, or why there is none. */
export type RequestOutcome = number | 'silence' | 'closed'

interface Waiting {
  settle(outcome: RequestOutcome): void
  timer: NodeJS.Timeout | undefined
}

/** One connection of an ESME, from its first byte to its last. */
export class SmscLink {
  readonly session: number
  readonly #host: LinkHost
  readonly #npm: NpmSession
  readonly #waiting = new Map<number, Waiting>()
  #enquiring: NodeJS.Timeout | undefined
  #isOpen = true
  bindType: BindType | null = null
  systemId: string | null = null
  /** Submits that are not answered yet, and the most that there were at once. */
  inFlight = 0
  maxInFlight = 0
  submits = 0
  enquires = { sent: 0, answered: 0, received: 0 }

  constructor(host: LinkHost, npm: NpmSession, session: number) {
    this.#host = host
    this.#npm = npm
    this.session = session
    npm.socket.setNoDelay(true)
    npm.on('pdu', (pdu: NpmPdu) => this.#receive(pdu))
    // From the socket, or from a PDU that the package cannot decode, after which it never reads again.
    npm.on('error', (error: Error) => {
      this.#write('unreadable', { reason: error.message }, () => npm.destroy())
    })
    npm.on('close', () => this.#close())
    this.#write('connected', {})
    if (host.settings().link.enquireBeforeBind) this.#enquire()
  }

  get canSubmit(): boolean {
    return this.#isOpen && (this.bindType === 'transmitter' || this.bindType === 'transceiver')
  }

  get canReceive(): boolean {
    return this.#isOpen && (this.bindType === 'receiver' || this.bindType === 'transceiver')
  }

  /** Requests to the ESME that it has not answered. */
  get unanswered(): number {
    return this.#waiting.size
  }

  /** Sends a request; `settle` is called once, unless this gives false because the connection has ended. */
  request(
    command: string,
    fields: Record<string, unknown>,
    answerWithinMs: number | null,
    settle: (outcome: RequestOutcome) => void,
  ): boolean {
    const pdu = new npmSmpp.PDU(command, fields)
    if (!this.#isOpen || !this.#npm.send(pdu)) return false
    const sequence = pdu.sequence_number
    const giveUp = (): void => this.#settle(sequence, 'silence')
    const timer = answerWithinMs === null ? undefined : setTimeout(giveUp, answerWithinMs)
    this.#waiting.set(sequence, { settle, timer })
    return true
  }

  /** Sends what nobody answers: outbind, alert_notification. */
  tell(command: string, fields: Record<string, unknown>): boolean {
    return this.#isOpen && this.#npm.send(new npmSmpp.PDU(command, fields))
  }

  answer(pdu: NpmPdu, status: number, fields: Record<string, unknown> = {}): void {
    if (this.#isOpen) this.#npm.send(pdu.response({ ...fields, command_status: status }))
  }

  nack(sequence: number, status: number): void {
    if (!this.#isOpen) return
    this.#npm.send(new npmSmpp.PDU('generic_nack', { command_status: status, sequence_number: sequence }))
  }

  raw(bytes: Buffer): boolean {
    if (this.#isOpen) this.#npm.socket.write(bytes)
    return this.#isOpen
  }

  /** Ends the session as a well-behaved SMSC does; settles when the ESME has answered, or is gone. */
  unbind(): Promise<RequestOutcome> {
    return new Promise((resolve) => {
      const settle = (outcome: RequestOutcome): void => {
        this.#npm.socket.end()
        resolve(outcome)
      }
      this.bindType = null
      this.#write('unbound-by-smsc', {}, () => {
        if (!this.request('unbind', {}, null, settle)) resolve('closed')
      })
    })
  }

  cut(how: 'fin' | 'rst'): void {
    // Only a plain TCP socket can be reset; below TLS there is one.
    const { socket } = this.#npm
    const { _parent: below } = socket as { _parent?: Socket | null }
    if (how === 'rst') resetSocket(below ?? socket)
    this.#npm.destroy()
  }

  /** Stops reading, so that the ESME's bytes pile up in the kernel and then at the ESME. */
  pause(): void {
    this.#npm.pause()
  }

  resume(): void {
    this.#npm.resume()
  }

  cork(): void {
    this.#npm.socket.cork()
  }

  uncork(): void {
    this.#npm.socket.uncork()
  }

  #receive(pdu: NpmPdu): void {
    if (pdu.isResponse()) this.#receiveAnswer(pdu)
    else if (pdu.command.startsWith('bind_')) this.#receiveBind(pdu)
    else if (pdu.command === 'submit_sm' || pdu.command === 'data_sm') this.#host.onSubmit(this, pdu)
    else if (pdu.command === 'query_sm') this.#host.onQuery(this, pdu)
    else if (pdu.command === 'enquire_link') this.#receiveEnquire(pdu)
    else if (pdu.command === 'unbind') this.#receiveUnbind(pdu)
    else if (pdu.command === 'cancel_sm') this.answer(pdu, 0x11)
    else if (pdu.command === 'replace_sm') this.answer(pdu, 0x13)
    else {
      const detail = { command: pdu.command_id, sequence: pdu.sequence_number }
      this.#write('unknown-command', detail, () => this.nack(pdu.sequence_number, 3))
    }
  }

  #receiveAnswer(pdu: NpmPdu): void {
    const detail = { command: pdu.command, status: pdu.command_status, sequence: pdu.sequence_number }
    if (!this.#waiting.has(pdu.sequence_number)) this.#write('stray-answer', detail)
    else if (pdu.command === 'generic_nack') this.#write('nacked', detail)
    this.#settle(pdu.sequence_number, pdu.command_status)
  }

  #receiveBind(pdu: NpmPdu): void {
    const { silent, interfaceVersion } = this.#host.settings().bind
    if (silent) return
    const status = this.bindType === null ? this.#host.judgeBind(pdu) : 5
    const bindType = pdu.command.slice('bind_'.length) as BindType
    const detail = {
      bindType,
      systemId: pdu.system_id ?? '',
      systemType: pdu.system_type ?? '',
      interfaceVersion: pdu.interface_version ?? null,
    }
    const answer = (): void => {
      if (status !== 0) {
        this.#write('bind-refused', { ...detail, status }, () => this.answer(pdu, status))
        return
      }
      this.bindType = bindType
      this.systemId = detail.systemId
      const version = interfaceVersion === null ? {} : { sc_interface_version: interfaceVersion }
      this.#write('bound', detail, () => {
        this.answer(pdu, 0, { system_id: 'FOREIGN', ...version })
        if (!this.#isOpen) return
        const { enquireEveryMs } = this.#host.settings().link
        if (enquireEveryMs !== null) this.#enquiring = setInterval(() => this.#enquire(), enquireEveryMs)
        this.#host.onBound(this)
      })
    }
    const delayMs = this.#host.bindDelayMs()
    if (delayMs === 0) answer()
    else setTimeout(() => this.#isOpen && answer(), delayMs)
  }

  #receiveEnquire(pdu: NpmPdu): void {
    this.enquires.received += 1
    this.#write('enquired', {}, () => {
      if (this.#host.settings().link.answerEnquire) this.answer(pdu, 0)
    })
  }

  #receiveUnbind(pdu: NpmPdu): void {
    this.bindType = null
    this.#write('unbound-by-esme', { inFlight: this.inFlight }, () => {
      if (!this.#host.settings().link.answerUnbind) return
      this.answer(pdu, 0)
      this.#npm.socket.end()
    })
  }

  #enquire(): void {
    this.enquires.sent += 1
    this.request('enquire_link', {}, null, (outcome) => {
      if (outcome === 0) this.enquires.answered += 1
    })
  }

  #settle(sequence: number, outcome: RequestOutcome): void {
    const waiting = this.#waiting.get(sequence)
    if (waiting === undefined) return
    this.#waiting.delete(sequence)
    clearTimeout(waiting.timer)
    waiting.settle(outcome)
  }

  #close(): void {
    this.#isOpen = false
    this.bindType = null
    clearInterval(this.#enquiring)
    this.#write('closed', { inFlight: this.inFlight })
    for (const sequence of this.#waiting.keys()) this.#settle(sequence, 'closed')
    this.#host.onClosed(this)
  }

  /** `then` runs once it is written, so that a test that has seen the effect finds the reason in the log. */
  #write(what: LinkRecord['what'], detail: LinkRecord['detail'], then?: () => void): void {
    this.#host.log.append({ kind: 'link', session: this.session, at: Date.now(), what, detail }, then)
  }
}

import { addressOf, writeSmsc } from '../sms-tpdu/tpdu-address.ts'
import { classOf } from '../sms-tpdu/tpdu-text.ts'
import type { ModemClock } from './modem-clock.ts'
import type { ArrivalRecord, ModemLog } from './modem-log.ts'
import type { IndicationSettings, MemoryName, NetworkSettings, StorageSettings } from './modem-settings.ts'
import type { Memory } from './memories.ts'

/** What the SMSC has for a modem. */
export interface Arriving {
  of: 'sms' | 'report'
  /** Without an SMSC, hex. */
  tpdu: string
  dcs: number
  pid: number
  reference: number | null
  /** On the line at once, also while a command waits for its answer. */
  isUrgent?: boolean
  /** In front of it, where it is not that of the SIM. */
  smsc?: string
}

/** What arrivals need of the modem. */
export interface ArrivalsHost {
  modem: number
  clock: ModemClock
  log: ModemLog
  settings(): { indications: IndicationSettings; network: NetworkSettings; storage: StorageSettings }
  /** CNMI (mode, mt, bm, ds, bfr) and the service of CSMS as they are. */
  routing(): { cnmi: number[]; service: number }
  isReachable(): boolean
  smsc(): string
  /** The memory that CPMS chose for what is received. */
  chosenMemory(): MemoryName
  memory(name: MemoryName): Memory | null
  tell(lines: readonly string[], now?: boolean): void
}

type Waiting = Arriving & { n: number; notBeforeMs: number }

/**
 * The SMSC's side of receiving: what the modem has no room for, or what is not acknowledged, waits there and comes again. Routing is by 3GPP TS 27.005
 * section 3.4.1, the acknowledgement by section 3.4.4.
 */
export class Arrivals {
  readonly #host: ArrivalsHost
  #queue: Waiting[] = []
  #count = 0
  #unacknowledged: { arriving: Waiting; stopTimer: () => void } | null = null
  #isWaking = false

  constructor(host: ArrivalsHost) {
    this.#host = host
  }

  /** What the SMSC still has. */
  get waiting(): number {
    return this.#queue.length + (this.#unacknowledged === null ? 0 : 1)
  }

  add(arriving: Arriving): void {
    this.#count += 1
    this.#queue = [...this.#queue, { ...arriving, n: this.#count, notBeforeMs: -Infinity }]
    this.pump()
  }

  /** Looks again: a place was freed, a route or a network is there. */
  pump(isEager = false): void {
    const { clock, settings } = this.#host
    for (const arriving of this.#queue) {
      if (!this.#host.isReachable() || this.#unacknowledged !== null) break
      if (!isEager && arriving.notBeforeMs > clock.now()) continue
      if (this.#arrive(arriving)) this.#queue = this.#queue.filter((other) => other !== arriving)
      else arriving.notBeforeMs = clock.now() + settings().network.retryMs
    }
    if (this.#queue.length === 0 || this.#isWaking) return
    this.#isWaking = true
    clock.schedule(settings().network.retryMs, () => {
      this.#isWaking = false
      this.pump()
    })
  }

  /** AT+CNMA; false when nothing waits for it. */
  acknowledge(isGood: boolean): boolean {
    const waiting = this.#unacknowledged
    if (waiting === null) return false
    this.#unacknowledged = null
    waiting.stopTimer()
    this.#note(waiting.arriving, isGood ? 'acknowledged' : 'not-acknowledged', isGood ? '' : 'CNMA=2')
    if (!isGood) this.#comesAgain(waiting.arriving)
    this.pump()
    return true
  }

  /** The modem has lost its memory of what it routed: the SMSC has not. */
  reset(): void {
    const waiting = this.#unacknowledged
    this.#unacknowledged = null
    if (waiting === null) return
    waiting.stopTimer()
    this.#comesAgain(waiting.arriving)
    this.pump()
  }

  #comesAgain(arriving: Waiting): void {
    arriving.notBeforeMs = this.#host.clock.now() + this.#host.settings().network.retryMs
    this.#queue = [arriving, ...this.#queue]
  }

  /** Brings it to the modem; false where the network must try again. */
  #arrive(arriving: Waiting): boolean {
    const { cnmi } = this.#host.routing()
    const { indications } = this.#host.settings()
    if (arriving.of === 'report') {
      if (cnmi[3] === 1) return this.#route(arriving, '+CDS: ')
      if (cnmi[3] === 2) return this.#store(arriving, indications.reportMemory)
      if (indications.unroutedReports === 'stored') return this.#store(arriving, indications.reportMemory)
      this.#note(arriving, 'dropped', 'ds is 0')
      return true
    }
    // Type 0 (3GPP TS 23.040 section 9.2.3.9): acknowledged, and its content discarded.
    if (arriving.pid === 0x40) {
      this.#note(arriving, 'dropped', 'type 0')
      return true
    }
    const smsClass = classOf(arriving.dcs)
    const isRouted = (cnmi[1] === 2 && smsClass !== 2) || (cnmi[1] === 3 && smsClass === 3)
    const isShown = smsClass === 0 && indications.class0 === 'cmt' && cnmi[1] !== 0
    if (isRouted || isShown) return this.#route(arriving, '+CMT: ,')
    return this.#store(arriving, this.#host.settings().storage.keptIn ?? this.#host.chosenMemory())
  }

  #route(arriving: Waiting, head: string): boolean {
    this.#note(arriving, 'routed', head.slice(0, 4))
    this.#host.tell([`${head}${arriving.tpdu.length / 2}`, this.#pduOf(arriving)], arriving.isUrgent)
    if (this.#host.routing().service === 0) return true
    const { ackWithinMs } = this.#host.settings().indications
    const stopTimer = this.#host.clock.schedule(ackWithinMs, () => this.#missAcknowledgement(arriving))
    this.#unacknowledged = { arriving, stopTimer }
    return true
  }

  #missAcknowledgement(arriving: Waiting): void {
    this.#unacknowledged = null
    this.#note(arriving, 'not-acknowledged', 'too late')
    const { cnmi } = this.#host.routing()
    cnmi[1] = 0
    cnmi[3] = 0
    this.#comesAgain(arriving)
    this.pump()
  }

  #store(arriving: Waiting, name: MemoryName): boolean {
    const { of, reference } = arriving
    const { storage } = this.#host.settings()
    const memory = this.#host.memory(name)
    const index = memory?.store({ n: arriving.n, of, reference, status: 0, pdu: this.#pduOf(arriving), length: arriving.tpdu.length / 2 }) // prettier-ignore
    if (index === null || index === undefined) {
      this.#note(arriving, 'no-room', name)
      if (storage.fullLine !== null) this.#host.tell([storage.fullLine.replace('{memory}', name)])
      return false
    }
    this.#note(arriving, 'stored', `${name} ${index}`)
    const line = this.#indication(of, name, index)
    if (line !== null) this.#host.tell([line], arriving.isUrgent)
    return true
  }

  #indication(of: Arriving['of'], name: MemoryName, index: number): string | null {
    const { cnmi } = this.#host.routing()
    const { cmti, cdsi } = this.#host.settings().indications
    if (of === 'report') {
      if (cnmi[3] !== 2 || cdsi === 'lost') return null
      return cdsi === 'right' ? `+CDSI: "${name}",${index}` : '+CDSI: "SM",0'
    }
    if ((cnmi[1] ?? 0) === 0 || cmti === 'lost') return null
    if (cmti === 'minus-one') return '+CMTI: ,-1'
    return `+CMTI: "${cmti === 'right' ? name : name === 'SM' ? 'ME' : 'SM'}",${index}`
  }

  #pduOf = ({ tpdu, smsc }: Arriving): string =>
    writeSmsc(addressOf(smsc ?? this.#host.smsc()))
      .toString('hex')
      .toUpperCase() + tpdu

  #note({ n, of, reference }: Waiting, what: ArrivalRecord['what'], detail: string): void {
    this.#host.log.write({ kind: 'arrival', modem: this.#host.modem, n, of, what, reference, detail })
  }
}

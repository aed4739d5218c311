import { readSubmit, type SubmitTpdu } from '../sms-tpdu/submit-tpdu.ts'
import type { TpduAddress } from '../sms-tpdu/tpdu-address.ts'
import { TpduError } from '../sms-tpdu/tpdu-octets.ts'
import { writeStatusReport } from '../sms-tpdu/status-report-tpdu.ts'
import type { Arriving } from './arrivals.ts'
import type { ModemClock } from './modem-clock.ts'
import type { ModemLog } from './modem-log.ts'
import type { ModemSettings, ReportRule, SubmitMatch, SubmitRule } from './modem-settings.ts'

export interface SubmitsHost {
  modem: number
  clock: ModemClock
  log: ModemLog
  settings(): Pick<ModemSettings, 'submit' | 'reports' | 'network'>
  /** Counts the submits of all modems. */
  next(): number
  report(arriving: Arriving): void
}

export interface Judged {
  answer: SubmitRule['answer']
  delayMs: number
  reference: number
  /** Brings the reports that are due before the answer, and after it. */
  reportBefore(): void
  reportAfter(): void
}

const nothing = (): void => undefined

/** The SMSC behind the modem: it writes down each PDU, with what becomes of it, before the modem says a word. */
export class Submits {
  readonly #host: SubmitsHost
  readonly #fitted = new WeakMap<SubmitMatch, number>()
  #given: number | null = null

  constructor(host: SubmitsHost) {
    this.#host = host
  }

  /** Judges a PDU; `refusal` is why this modem sends nothing at the moment, a final line. */
  judge(pdu: string, length: number, refusal: string | null): Judged {
    const read = this.#read(pdu, length)
    const rule =
      typeof read === 'string' || refusal !== null
        ? null
        : this.#first(this.#host.settings().submit.rules, read)
    const isTaken = typeof read !== 'string' && refusal === null && (rule?.isTaken ?? true)
    const refusals = typeof read === 'string' ? ['+CMS ERROR: 304'] : refusal === null ? null : [refusal]
    const answer = refusals ?? rule?.answer ?? 'ok'
    const reference = isTaken || answer === 'ok' ? this.#nextReference() : (this.#given ?? 0)
    this.#write(pdu, length, read, { isTaken, answer, reference })
    const delayMs = rule?.delayMs ?? this.#host.settings().submit.answerDelayMs
    if (!isTaken || typeof read === 'string')
      return { answer, delayMs, reference, reportBefore: nothing, reportAfter: nothing }
    return { answer, delayMs, reference, ...this.#reports(read, reference) }
  }

  #read(pdu: string, length: number): SubmitTpdu | string {
    try {
      return readSubmit(pdu, length)
    } catch (error) {
      if (error instanceof TpduError) return error.message
      throw error
    }
  }

  #write(
    pdu: string,
    length: number,
    read: SubmitTpdu | string,
    outcome: { isTaken: boolean; answer: SubmitRule['answer']; reference: number },
  ): void {
    // prettier-ignore
    const { modem, log } = this.#host
    const { isTaken, answer, reference } = outcome
    const base = {
      kind: 'submit',
      n: this.#host.next(),
      modem,
      pdu,
      length,
      taken: isTaken,
      answer: String(answer),
    } as const
    if (typeof read === 'string') {
      log.write({ ...base, unreadable: read, reference: null })
      return
    }
    const { smsc, to, writtenReference: _written, ...rest } = read
    log.write({ ...base, ...rest, unreadable: null, smsc: smsc === null ? null : plain(smsc), to: plain(to), reference: isTaken ? reference : null }) // prettier-ignore
  }

  #nextReference(): number {
    const { reference, firstReference } = this.#host.settings().submit
    this.#given = this.#given === null || reference === 'constant' ? firstReference : (this.#given + 1) % 256
    return this.#given
  }

  #reports(read: SubmitTpdu, reference: number): Pick<Judged, 'reportBefore' | 'reportAfter'> {
    const { reports, network } = this.#host.settings()
    const isWanted = reports.when === 'always' || (reports.when === 'asked' && read.wantsReport)
    if (!isWanted) return { reportBefore: nothing, reportAfter: nothing }
    const rule: ReportRule = this.#first(reports.rules, read) ?? { statuses: [0] }
    const takenAtMs = this.#host.clock.now()
    const send = (status: number): void => {
      const said = rule.reference ?? reference
      const tpdu = writeStatusReport({
        reference: said,
        recipient: rule.recipient ?? read.to,
        takenAtMs,
        doneAtMs: this.#host.clock.now(),
        offsetMinutes: network.offsetMinutes,
        status,
      })
      const isUrgent = rule.when === 'before-answer'
      const smsc = rule.smsc === undefined ? {} : { smsc: rule.smsc }
      this.#host.report({ of: 'report', tpdu, dcs: 0, pid: 0, reference: said, isUrgent, ...smsc })
    }
    const sendAll = (): void => {
      for (const [place, status] of rule.statuses.entries()) {
        if (rule.delayMs === undefined) send(status)
        else this.#host.clock.schedule(rule.delayMs * (place + 1), () => send(status))
      }
    }
    return rule.when === 'before-answer'
      ? { reportBefore: sendAll, reportAfter: nothing }
      : { reportBefore: nothing, reportAfter: sendAll }
  }

  /** The first rule that fits, which is used up a little by that. */
  #first<Rule extends SubmitMatch>(rules: readonly Rule[], { to }: SubmitTpdu): Rule | null {
    for (const rule of rules) {
      if (!to.number.startsWith(rule.to ?? '')) continue
      const fitted = this.#fitted.get(rule) ?? 0
      if (fitted >= (rule.skip ?? 0) + (rule.times ?? Infinity)) continue
      this.#fitted.set(rule, fitted + 1)
      if (fitted >= (rule.skip ?? 0)) return rule
    }
    return null
  }
}

const plain = ({ number, type }: TpduAddress): string => ((type & 0x70) === 0x10 ? `+${number}` : number)

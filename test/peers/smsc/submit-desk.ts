import { pick, type Random } from '../seeded-random.ts'
import type { Deliveries } from './deliveries.ts'
import { createIdCounter, writeId } from './message-ids.ts'
import type { NpmPdu } from './npm-smpp.ts'
import { isExact, tlvsOf } from './npm-smpp-server.ts'
import { messageStates } from './receipt-forms.ts'
import { receiptFields, statesToReport, type Taken } from './receipt-pdus.ts'
import { createRuleBook, createThrottle } from './rule-book.ts'
import type { SmscLink } from './smsc-link.ts'
import type { SmscLog, SubmitRecord } from './smsc-log.ts'
import type { ReceiptSettings, SmscSettings, SubmitRule } from './smsc-settings.ts'

interface DeskHouse {
  settings(): SmscSettings
  log: SmscLog
  random: Random
  deliveries: Deliveries
}

/** Takes submits, answers them and sends their receipts. */
export interface SubmitDesk {
  submit(link: SmscLink, pdu: NpmPdu): void
  query(link: SmscLink, pdu: NpmPdu): void
  readonly counts: { submits: number; taken: number; answered: number; waiting: number }
}

export function createSubmitDesk(house: DeskHouse): SubmitDesk {
  const counts = { submits: 0, taken: 0, answered: 0, waiting: 0 }
  const letThrough = createThrottle()
  const rules = createRuleBook(house.random)
  const nextId = createIdCounter()
  const taken = new Map<string, Taken>()
  const final = new Map<string, { stat: string; atMs: number }>()

  const decide = (link: SmscLink, pdu: NpmPdu): SubmitRule => {
    const { throttlePerSecond, throttleBurst, throttleStatus, rules: submitRules } = house.settings().submit
    if (!link.canSubmit) return { status: 4 }
    if (!pdu.destination_addr) return { status: 0x0b }
    if (!letThrough(throttlePerSecond, throttleBurst)) return { status: throttleStatus }
    return rules.first(submitRules, subjectOf(pdu)) ?? {}
  }

  const take = (record: SubmitRecord): Taken => {
    const number = nextId(house.settings().ids)
    const { response, receipt } = house.settings().ids
    record.messageId = writeId(number, response)
    const kept = { record, receiptId: writeId(number, receipt) }
    taken.set(record.messageId, kept)
    counts.taken += 1
    return kept
  }

  /** Reports the states of one submit, one after the other. */
  const report = (kept: Taken, settings: ReceiptSettings): void => {
    const rule = rules.first(settings.rules, kept.record)
    const last = rule?.states.at(-1) ?? 'DELIVRD'
    final.set(kept.record.messageId as string, {
      stat: last,
      atMs: Date.now() + pick(house.random, settings.delayMs),
    })
    for (const stat of statesToReport(kept, rule, settings)) {
      const err = rule?.err ?? (messageStates[stat] === 2 ? '000' : '001')
      for (let copy = 0; copy < settings.copies; copy += 1) {
        const delayMs = pick(house.random, settings.delayMs)
        const send = (): void =>
          house.deliveries.add({
            command: settings.command,
            fields: receiptFields(kept, stat, err, settings),
            session: kept.record.session,
            where: settings.session,
            messageId: kept.receiptId,
            stat,
          })
        if (delayMs === 0) send()
        else setTimeout(send, delayMs)
      }
    }
  }

  return {
    counts,
    submit(link, pdu) {
      const arrivedMs = performance.now()
      const settings = house.settings()
      const rule = decide(link, pdu)
      counts.submits += 1
      counts.waiting += 1
      link.submits += 1
      link.inFlight += 1
      link.maxInFlight = Math.max(link.maxInFlight, link.inFlight)
      const record = describe(link, pdu, counts.submits, rule)
      const kept = record.taken ? take(record) : null
      const answer = (): void => {
        counts.waiting -= 1
        link.inFlight -= 1
        if (respond(link, pdu, record, settings.submit.bodyOnError)) counts.answered += 1
        if (kept !== null && settings.receipts.from === 'response') report(kept, settings.receipts)
      }
      house.log.append(record, () => {
        if (kept !== null && settings.receipts.from === 'submit') report(kept, settings.receipts)
        const delayMs = pick(house.random, rule.delayMs ?? settings.submit.delayMs)
        if (delayMs === 0) answer()
        else runAt(arrivedMs + delayMs, answer)
      })
    },
    query(link, pdu) {
      const kept = taken.get(pdu.message_id ?? '')
      if (kept === undefined) {
        link.answer(pdu, 0x67)
        return
      }
      const known = final.get(kept.record.messageId as string)
      const isFinal = known !== undefined && known.atMs <= Date.now()
      link.answer(pdu, 0, {
        message_id: kept.record.messageId,
        final_date: isFinal ? new Date(known.atMs) : '',
        message_state: messageStates[isFinal ? known.stat : 'ENROUTE'] ?? 7,
        error_code: 0,
      })
    },
  }
}

/**
 * Never before `dueMs` of the monotonic clock, and a fraction of a millisecond after: figures like 500 answers a second at 20 ms
 * are made of this. Timers are a millisecond early or late; the rest is waited out turn by turn of the event loop.
 */
function runAt(dueMs: number, run: () => void): void {
  const wait = (): void => {
    if (performance.now() >= dueMs) run()
    else setImmediate(wait)
  }
  setTimeout(wait, Math.max(0, Math.floor(dueMs - performance.now())))
}

const subjectOf = (pdu: NpmPdu): { source: string; destination: string } => ({
  source: pdu.source_addr ?? '',
  destination: pdu.destination_addr ?? '',
})

/** Gives whether an answer to this submit left. */
function respond(link: SmscLink, pdu: NpmPdu, record: SubmitRecord, bodyOnError: boolean): boolean {
  const fields = { message_id: record.messageId ?? '' }
  const again = record.answer === 'twice'
  switch (record.answer) {
    case 'silence':
      return false
    case 'cut':
      link.cut('rst')
      return false
    case 'stray':
      link.raw(withSequence(pdu, fields, 0x7fff_fff0))
      return false
    case 'nack':
      link.nack(pdu.sequence_number, record.status)
      return true
    default:
      if (record.status !== 0 && bodyOnError) link.raw(errorWithBody(pdu, record.status))
      else link.answer(pdu, record.status, fields)
      if (again) link.answer(pdu, record.status, fields)
      return true
  }
}

function withSequence(pdu: NpmPdu, fields: Record<string, unknown>, sequence: number): Buffer {
  const answer = pdu.response(fields)
  answer.sequence_number = sequence
  return answer.toBuffer()
}

/** The package leaves the body of an error out; this one has an empty message id. */
function errorWithBody(pdu: NpmPdu, status: number): Buffer {
  const bytes = pdu.response({ message_id: '' }).toBuffer()
  bytes.writeUInt32BE(status, 8)
  return bytes
}

function describe(link: SmscLink, pdu: NpmPdu, n: number, rule: SubmitRule): SubmitRecord {
  const { status = 0, how = 'answer' } = rule
  const bytes = pdu.short_message ?? Buffer.alloc(0)
  const tlvs = tlvsOf(pdu)
  return {
    kind: 'submit',
    n,
    session: link.session,
    sequence: pdu.sequence_number,
    command: pdu.command as SubmitRecord['command'],
    at: Date.now(),
    serviceType: pdu.service_type ?? '',
    source: pdu.source_addr ?? '',
    sourceTon: pdu.source_addr_ton ?? 0,
    sourceNpi: pdu.source_addr_npi ?? 0,
    destination: pdu.destination_addr ?? '',
    destinationTon: pdu.dest_addr_ton ?? 0,
    destinationNpi: pdu.dest_addr_npi ?? 0,
    esmClass: pdu.esm_class ?? 0,
    protocolId: pdu.protocol_id ?? 0,
    priority: pdu.priority_flag ?? 0,
    scheduleDeliveryTime: pdu.schedule_delivery_time ?? '',
    validityPeriod: pdu.validity_period ?? '',
    registeredDelivery: pdu.registered_delivery ?? 0,
    replaceIfPresent: pdu.replace_if_present_flag ?? 0,
    dcs: pdu.data_coding ?? 0,
    shortMessage: bytes.toString('hex'),
    udh:
      ((pdu.esm_class ?? 0) & 0x40) === 0 ? '' : headerOf(bytes.toString('hex') || tlvs['message_payload']),
    tlvs,
    answer: how === 'answer' ? status : how,
    status,
    taken: rule.taken ?? (status === 0 && how !== 'nack'),
    messageId: null,
    exact: isExact(pdu),
  }
}

/** The user data header at the front of a message in hex, its length octet too. */
function headerOf(message: string | number | undefined): string {
  const hex = typeof message === 'string' ? message : ''
  return hex.slice(0, (Number.parseInt(hex.slice(0, 2), 16) + 1) * 2)
}

import type { Receipt } from '../../connector.ts'
import type { StatusReport } from '../pdu/report-pdu.ts'
import { meaningOf } from './report-status.ts'

interface Part {
  id: string
  sentAtMs: number
  /** The last digits of its recipient; null for a part from before a restart. */
  recipient: string | null
  /** Its report has been stored: another one about it is a repeat. */
  isReported: boolean
}

/** Networks write numbers with, without or with another prefix, so the last digits are compared. */
const tellingDigits = 7
/** A modem whose reference is always 0 has all of its parts under it: days at the pace of a SIM. */
const maxPerReference = 2_000
/** More readings of one report help no one: they are the nearest in time. */
const maxAlternatives = 20

/**
 * The parts that await delivery reports. A report names the reference of the modem (TP-MR), which wraps at 256, is
 * always 0 on some modems and starts over on others: it never identifies a part alone, but with the recipient and
 * the time at which the network accepted it.
 */
export class WaitingReports {
  readonly #tools: { now(): number }
  readonly #parts = new Map<number, Part[]>()

  constructor(tools: { now(): number }) {
    this.#tools = tools
  }

  /**
   * Records a part that the network took just now, and returns its ID: reference and second, with a counter if that
   * is taken. No number is in it.
   */
  sent(reference: number, to: string): string {
    const sentAtMs = this.#tools.now()
    const parts = this.#partsOf(reference)
    const base = `${reference}@${Math.floor(sentAtMs / 1_000)}`
    const taken = parts.filter(({ id }) => id === base || id.startsWith(`${base}.`)).length
    const id = taken === 0 ? base : `${base}.${taken + 1}`
    this.#add(reference, { id, sentAtMs, recipient: endOf(to), isReported: false })
    return id
  }

  /** Restores a part from before a restart; an ID of another form is none of a modem. */
  resume(id: string): void {
    const [, reference, seconds] = /^(\d{1,3})@(\d{9,11})(?:\.\d+)?$/.exec(id) ?? []
    if (reference === undefined || this.#partsOf(Number(reference)).some((part) => part.id === id)) return
    this.#add(Number(reference), {
      id,
      sentAtMs: Number(seconds) * 1_000,
      recipient: null,
      isReported: false,
    })
  }

  /** Returns whether a part is known that the report may be about. */
  knows(report: StatusReport): boolean {
    return this.#candidates(report).length > 0
  }

  /**
   * Returns what a report says: about the part that it fits best, with the others as further readings of its ID. One
   * that fits none has an ID of its own, and may settle a part with unknown outcome by its number and time. Null
   * while the network still tries.
   */
  receiptOf(report: StatusReport): Receipt | null {
    const meaning = meaningOf(report.status)
    if (meaning === null) return null
    const [best, ...others] = this.#candidates(report)
    const isRepeat = best?.isReported === true
    const alternatives = others.filter(({ isReported }) => !isReported && !isRepeat).map(({ id }) => id)
    const { reference, recipient, acceptedAt, status } = report
    const acceptedSeconds = Math.floor((acceptedAt?.atMs ?? this.#tools.now()) / 1_000)
    return {
      networkId: best?.id ?? `${reference}@${acceptedSeconds}`,
      ...(alternatives.length > 0 && { alternatives: alternatives.slice(0, maxAlternatives) }),
      numbers: [recipient.number],
      ...(acceptedAt !== null && { submittedAt: acceptedAt.localMs }),
      ...meaning,
      networkCode: status === 0 ? null : status.toString(16).padStart(2, '0').toUpperCase(),
    }
  }

  /** The receipt of a report was stored. */
  reported({ networkId }: Pick<Receipt, 'networkId'>): void {
    for (const part of this.#partsOf(Number.parseInt(networkId, 10)))
      if (part.id === networkId) part.isReported = true
  }

  /** Those with its reference that may have its recipient, the nearest in time first. */
  #candidates({ reference, recipient, acceptedAt }: StatusReport): Part[] {
    const end = endOf(recipient.number)
    const atMs = acceptedAt?.atMs ?? this.#tools.now()
    return this.#partsOf(reference)
      .filter((part) => part.recipient === null || part.recipient === end)
      .toSorted((a, b) => Math.abs(a.sentAtMs - atMs) - Math.abs(b.sentAtMs - atMs))
  }

  #add(reference: number, part: Part): void {
    const parts = this.#partsOf(reference)
    parts.push(part)
    if (parts.length > maxPerReference) parts.shift()
    this.#parts.set(reference, parts)
  }

  #partsOf(reference: number): Part[] {
    return this.#parts.get(reference) ?? []
  }
}

const endOf = (number: string): string => number.replaceAll(/\D/g, '').slice(-tellingDigits)

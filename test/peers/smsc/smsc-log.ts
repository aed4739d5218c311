import { readFileSync, writeSync } from 'node:fs'

/** A submit_sm (or data_sm) as it arrived, and what the SMSC made of it. Bytes are hex. */
export interface SubmitRecord {
  kind: 'submit'
  /** Counts all submits of this process of the SMSC, from 1. */
  n: number
  /** Counts connections, from 1. */
  session: number
  sequence: number
  command: 'submit_sm' | 'data_sm'
  /** Wall clock, ms. */
  at: number
  serviceType: string
  source: string
  sourceTon: number
  sourceNpi: number
  destination: string
  destinationTon: number
  destinationNpi: number
  esmClass: number
  protocolId: number
  priority: number
  scheduleDeliveryTime: string
  validityPeriod: string
  registeredDelivery: number
  replaceIfPresent: number
  dcs: number
  /** The whole field, a user data header included. */
  shortMessage: string
  /** The header at the front of the short message, or else of the payload, its length octet too. */
  udh: string
  /** By name, or by the number of the tag where the package has no name for it; bytes are hex, texts and numbers as the package reads them. */
  tlvs: Record<string, string | number>
  /** Decided when it arrived, so that it is true also where the connection ended before the answer left. */
  answer: number | 'nack' | 'twice' | 'silence' | 'cut' | 'stray'
  status: number
  /** The SMSC has it: it will be on somebody's handset. */
  taken: boolean
  /** In the form of the response; null where it was not taken. */
  messageId: string | null
  /** Written again by the package it has the same bytes: nothing in it is misread, odd or superfluous. */
  exact: boolean
}

/** A deliver_sm (or data_sm) to the ESME, and later what it was answered. */
export interface DeliveryRecord {
  kind: 'delivery'
  delivery: number
  session: number
  at: number
  attempt: number
  command: string
  /** Of the submit whose receipt it is, in the form of the receipt; null for a message from a handset. */
  messageId: string | null
  stat: string | null
}

export interface DeliveryAnswerRecord {
  kind: 'delivery-answer'
  delivery: number
  session: number
  at: number
  /** What it was answered, or why it was not. */
  outcome: number | 'silence' | 'closed'
}

/** What happens to a connection. */
export interface LinkRecord {
  kind: 'link'
  session: number
  at: number
  what:
    | 'connected'
    | 'bound'
    | 'bind-refused'
    | 'enquired'
    | 'unbound-by-esme'
    | 'unbound-by-smsc'
    | 'unknown-command'
    | 'unreadable'
    | 'stray-answer'
    | 'nacked'
    | 'closed'
  detail: Record<string, string | number | null>
}

export type SmscRecord = SubmitRecord | DeliveryRecord | DeliveryAnswerRecord | LinkRecord

export interface SmscLog {
  /**
   * Appends a line; `then` runs once it is written. All lines of one turn of the event loop share one write. Written, not
   * flushed to the disk: the log outlives a kill -9 of both sides, not a power cut.
   */
  append(record: SmscRecord, then?: () => void): void
  /** From now on nothing is written, and nothing runs that waited for it. */
  close(): void
}

/** `around` runs each batch of what waited for the write, so that its answers can share their writes too. */
export function createSmscLog(file: number, around: (batch: () => void) => void): SmscLog {
  let lines: string[] = []
  let waiting: (() => void)[] = []
  let isClosed = false
  const writeDown = (): void => {
    const text = Buffer.from(lines.join(''))
    const ready = waiting
    lines = []
    waiting = []
    if (isClosed) return
    for (let written = 0; written < text.length;) written += writeSync(file, text, written)
    around(() => {
      for (const then of ready) then()
    })
  }
  return {
    append(record, then) {
      if (lines.length === 0) setImmediate(writeDown)
      lines.push(`${JSON.stringify(record)}\n`)
      if (then !== undefined) waiting.push(then)
    },
    close: () => void (isClosed = true),
  }
}

/** Every whole line of a log, oldest first; a line that is being written is left for later. */
export function readSmscLog(file: string): SmscRecord[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as SmscRecord)
}

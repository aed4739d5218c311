import { readFileSync, writeSync } from 'node:fs'
import type { UserData } from '../sms-tpdu/tpdu-text.ts'

/** A PDU that came after a prompt and a Ctrl-Z (or by CMSS), and what the SMSC behind the modem made of it. Bytes are hex. */
export interface SubmitRecord extends Partial<UserData> {
  kind: 'submit'
  /** Counts all of this process, from 1. */
  n: number
  modem: number
  /** By the clock of the emulator, ms. */
  at: number
  /** As it was written, the SMSC in front. */
  pdu: string
  /** What `AT+CMGS=` said. */
  length: number
  /** Why it cannot be read; null where it can. All that is read from it is then missing. */
  unreadable: string | null
  /** The SMSC in the PDU; null for that of the SIM. */
  smsc?: string | null
  /** With a plus sign where the type is international. */
  to?: string
  wantsReport?: boolean
  rejectsDuplicates?: boolean
  pid?: number
  dcs?: number
  firstOctet?: number
  validity?: { format: string; octets: string }
  /** The SMSC has it: it will be on somebody's handset. Decided, and written here, before a byte of the answer leaves. */
  taken: boolean
  /** What the modem answers: `ok`, lines, or what happens in place of an answer. */
  answer: string
  /** TP-MR that the modem gave it; null where it was not taken. */
  reference: number | null
}

/** A command line as the modem understood it, once; or a text at a prompt that ended otherwise than by Ctrl-Z. */
export interface CommandRecord {
  kind: 'command'
  modem: number
  at: number
  command: string
}

export interface PromptRecord {
  kind: 'prompt'
  modem: number
  at: number
  what: 'asked' | 'escaped' | 'ended' | 'hung-up'
  /** What was written at it so far. */
  bytes: string
}

export interface PinRecord {
  kind: 'pin'
  modem: number
  at: number
  what: 'right' | 'wrong' | 'puk-right' | 'puk-wrong'
  triesLeft: number
}

export interface LineRecord {
  kind: 'line'
  modem: number
  at: number
  what: 'opened' | 'closed' | 'refused' | 'cut' | 'reset' | 'stray'
  detail: string
}

/** What became of an SMS or a report for the modem. */
export interface ArrivalRecord {
  kind: 'arrival'
  modem: number
  at: number
  /** Counts what the SMSC had for this modem, from 1. */
  n: number
  of: 'sms' | 'report'
  what:
    | 'routed'
    | 'acknowledged'
    | 'not-acknowledged'
    | 'stored'
    | 'no-room'
    | 'dropped'
    | 'listed'
    | 'deleted'
  /** TP-MR of a report. */
  reference: number | null
  detail: string
}

export type ModemRecord = SubmitRecord | CommandRecord | PromptRecord | PinRecord | LineRecord | ArrivalRecord

type Unstamped<Record> = Record extends unknown ? Omit<Record, 'at'> : never
export type ModemNote = Unstamped<ModemRecord>

/** Writes a record at once: what the modem says afterwards is never ahead of its log. It outlives a kill -9 of both sides, not a power cut. */
export interface ModemLog {
  write(note: ModemNote): void
}

export const createModemLog = (file: number, now: () => number): ModemLog => ({
  write(note) {
    const line = Buffer.from(`${JSON.stringify({ at: now(), ...note })}\n`)
    for (let written = 0; written < line.length;) written += writeSync(file, line, written)
  },
})

/** Gives every whole line of a log, oldest first; a line that is being written is left for later. */
export function readModemLog(file: string): ModemRecord[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as ModemRecord)
}

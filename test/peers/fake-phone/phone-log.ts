import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import type { RadioOutcome } from './phone-knobs.ts'

/** An SMS that was handed to the radio. Written down before the phone tells anybody. */
export interface RadioRecord {
  kind: 'radio'
  phone: number
  /** Wall clock of the machine, ms; so in all records. */
  at: number
  id: string
  to: string
  text: string | null
  /** Base64 of a data SMS. */
  data: string | null
  simNumber: number | null
  parts: number
  outcome: RadioOutcome
  /** The network has it, or may have it. */
  left: boolean
  /** How often this phone has given this message to the radio for this recipient, with this time. */
  times: number
}

/** A request that has ended, of the app or of its webhooks. */
export interface RequestRecord {
  kind: 'request'
  phone: number
  /** When it began. */
  at: number
  tookMs: number
  what: 'api' | 'webhook' | 'stream' | 'local'
  method: string
  /** Path and query below the base URL that was typed in; of a webhook the whole URL. */
  path: string
  /** Null when no answer came. */
  status: number | null
  error: string | null
  /** What it sent, parsed; of `local`, which others send to the phone, as it came. */
  body: unknown
  /** Of `local`: the header, if there was one. */
  authorization?: string
}

export interface StreamRecord {
  kind: 'stream'
  phone: number
  at: number
  /** Counts the streams of a phone, from 1. */
  stream: number
  what: 'opened' | 'event' | 'comment' | 'closed'
  event: string | null
  data: string | null
}

/** What the app would only write into its own log. */
export interface NoteRecord {
  kind: 'note'
  phone: number
  at: number
  what:
    | 'message-dropped'
    | 'message-ignored'
    | 'work-failed'
    | 'report-lost'
    | 'webhook-lost'
    | 'inbound-skipped'
    | 'event-unknown'
    | 'registered'
    | 'settings-notice'
  detail: Record<string, unknown>
}

export type PhoneRecord = RadioRecord | RequestRecord | StreamRecord | NoteRecord

export interface PhoneLog {
  append(record: PhoneRecord): void
  /** Everything appended so far stands in the file. Written, not flushed to the disk. */
  flush(): void
}

/** Lines of JSON; those of one turn of the event loop share one write. */
export function createPhoneLog(path: string): PhoneLog {
  const file = openSync(path, 'a')
  let lines: string[] = []
  const flush = (): void => {
    const text = Buffer.from(lines.join(''))
    lines = []
    for (let written = 0; written < text.length;) written += writeSync(file, text, written)
  }
  return {
    append(record) {
      if (lines.length === 0) setImmediate(flush)
      lines.push(`${JSON.stringify(record)}\n`)
      if (record.kind === 'radio') flush()
    },
    flush,
  }
}

/** Reads a log that grows: each call gives all whole lines so far, oldest first, and reads only what is new. */
export function createPhoneLogReader(path: string): () => readonly PhoneRecord[] {
  const records: PhoneRecord[] = []
  let offset = 0
  return () => {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - offset))
      const length = readSync(file, bytes, 0, bytes.length, offset)
      const end = bytes.subarray(0, length).lastIndexOf('\n') + 1
      const lines = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1)
      for (const line of lines) records.push(JSON.parse(line) as PhoneRecord)
      offset += end
    } finally {
      closeSync(file)
    }
    return records
  }
}

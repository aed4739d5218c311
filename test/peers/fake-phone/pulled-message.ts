import { readPhoneDate } from './phone-dates.ts'
import { isSince } from './phone-knobs.ts'
import type { StoredMessage } from './message-store.ts'

/** An item of the queue as the app reads it. */
export interface PulledMessage {
  /** An app before 1.67 does not know `state`, so that it takes a message that is being cancelled for a new one. */
  state: 'Pending' | 'Cancelling' | 'other'
  message: StoredMessage
}

export interface PulledReader {
  appVersion: string
  dateParser: 'app' | 'iso'
  nowMs: number
}

/** Reads a whole page; throws on the first thing that the app's JSON library would not read, and then nothing of the page is taken. */
export function readPulledMessages(answer: unknown, reader: PulledReader): PulledMessage[] {
  if (!Array.isArray(answer)) throw new TypeError('Expected BEGIN_ARRAY')
  return answer.map((item: unknown, place) => {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) {
      throw new TypeError(`Expected BEGIN_OBJECT at $[${place}]`)
    }
    return readItem(new Fields(item as Record<string, unknown>, `$[${place}]`), reader)
  })
}

function readItem(fields: Fields, { appVersion, dateParser, nowMs }: PulledReader): PulledMessage {
  const date = (name: string): number | null => {
    const text = fields.text(name)
    return text === null ? null : readPhoneDate(text, dateParser)
  }
  const scheduleAtMs = date('scheduleAt')
  return {
    state: isSince(appVersion, '1.67.0') ? readState(fields.text('state')) : 'Pending',
    message: {
      id: fields.required(fields.text('id'), 'id'),
      source: 'Cloud',
      ...readContent(fields, isSince(appVersion, '1.39.1')),
      recipients: fields.numbers().map((phoneNumber) => ({ phoneNumber, state: 'Pending', error: null })),
      simNumber: fields.integer('simNumber', 1, 2 ** 31 - 1),
      withDeliveryReport: fields.flag('withDeliveryReport') ?? true,
      priority: fields.integer('priority', -128, 127) ?? 0,
      createdAtMs: date('createdAt') ?? nowMs,
      scheduleAtMs: isSince(appVersion, '1.61.0') ? scheduleAtMs : null,
      validUntilMs: date('validUntil'),
      states: {},
    },
  }
}

/** A name that the enum lacks is read as none. */
function readState(state: string | null): PulledMessage['state'] {
  if (state === 'Cancelling') return state
  return ['Cancelled', 'Processed', 'Sent', 'Delivered', 'Failed'].includes(state ?? '') ? 'other' : 'Pending'
}

/** A data message comes before a text; the bare `message` is what the oldest apps know, and the last resort of the others. */
function readContent(fields: Fields, knowsObjects: boolean): Pick<StoredMessage, 'text' | 'data'> {
  const bare = fields.text('message')
  if (!knowsObjects) return { text: bare, data: null }
  const data = fields.object('dataMessage')
  const text = fields.object('textMessage')
  if (data !== null) {
    const port = data.required(data.integer('port', 0, 65_535), 'port')
    return { text: null, data: { data: data.required(data.text('data'), 'data'), port } }
  }
  return { text: text === null ? bare : text.required(text.text('text'), 'text'), data: null }
}

/** The members of one object, each with the type that the app declares; null where it is absent or null. */
class Fields {
  readonly #values: Record<string, unknown>
  readonly #path: string

  constructor(values: Record<string, unknown>, path: string) {
    this.#values = values
    this.#path = path
  }

  required<T>(value: T | null, name: string): T {
    return value ?? this.#fail(name, 'a value')
  }

  text(name: string): string | null {
    const value = this.#values[name] ?? null
    return value === null || typeof value === 'string' ? value : this.#fail(name, 'a string')
  }

  flag(name: string): boolean | null {
    const value = this.#values[name] ?? null
    return value === null || typeof value === 'boolean' ? value : this.#fail(name, 'a boolean')
  }

  integer(name: string, least: number, most: number): number | null {
    const value = this.#values[name] ?? null
    if (value === null) return null
    const isRight = Number.isInteger(value) && (value as number) >= least && (value as number) <= most
    return isRight ? (value as number) : this.#fail(name, 'an integer in range')
  }

  object(name: string): Fields | null {
    const value = this.#values[name] ?? null
    if (value === null) return null
    if (typeof value !== 'object' || Array.isArray(value)) return this.#fail(name, 'BEGIN_OBJECT')
    return new Fields(value as Record<string, unknown>, `${this.#path}.${name}`)
  }

  numbers(): string[] {
    const value = this.#values['phoneNumbers']
    const isRight = Array.isArray(value) && value.every((number) => typeof number === 'string')
    return isRight ? value : this.#fail('phoneNumbers', 'an array of strings')
  }

  #fail(name: string, expected: string): never {
    throw new TypeError(`Expected ${expected} at ${this.#path}.${name}`)
  }
}

import { createHash } from 'node:crypto'
import { textIdOf } from './java-hash.ts'
import { readPhoneDate, writePhoneDate } from './phone-dates.ts'
import { isSince, type PhoneKnobs } from './phone-knobs.ts'
import type { NoteRecord } from './phone-log.ts'
import type { PhoneTime } from './phone-time.ts'
import type { WebhookQueue } from './webhook-queue.ts'

/** An SMS from somebody to the phone. */
export interface InboundSms {
  from: string
  text?: string
  /** Base64 of a data SMS instead of a text. */
  data?: string
  simNumber?: number
  /** The clock of the SMSC, which knows whole seconds; now without. */
  receivedAtMs?: number
  /** It lies in the phone's inbox, but the app has not heard of it: only an export will find it. */
  isMissed?: boolean
}

export interface InboxHouse {
  knobs(): PhoneKnobs
  time: PhoneTime
  queue: WebhookQueue
  note(what: NoteRecord['what'], detail: NoteRecord['detail']): void
}

export type ReceivedSms = InboundSms & { receivedAtMs: number; simNumber: number }

/** What has come to the phone, and what of it the app has passed on. */
export class Inbox {
  readonly #house: InboxHouse
  /** The app's own table, by the id of a row: a hash, so that of two SMS that share one only one is kept. */
  readonly #rows = new Map<string, ReceivedSms>()
  /** What Android keeps: it stays when the data of the app are cleared. */
  readonly #all: ReceivedSms[]

  constructor(house: InboxHouse, kept: ReceivedSms[] = []) {
    this.#house = house
    this.#all = kept
  }

  /** All SMS that Android keeps. */
  get sms(): ReceivedSms[] {
    return this.#all
  }

  /** The rows of the app's table, by their ids. */
  get rows(): ReadonlyMap<string, ReceivedSms> {
    return this.#rows
  }

  receive(sms: InboundSms): void {
    const receivedAtMs = Math.floor((sms.receivedAtMs ?? Date.now()) / 1_000) * 1_000
    const received = { ...sms, receivedAtMs, simNumber: sms.simNumber ?? 1 }
    this.#all.push(received)
    if (sms.isMissed !== true) this.#process(received)
  }

  /** Passes on what it has not passed on of a time, as the data of a `MessagesExportRequested` names it. */
  export(data: string): void {
    const { appVersion, dateParser } = this.#house.knobs()
    const order = (JSON.parse(data) ?? {}) as Record<string, string | undefined>
    const [since, until] = ['since', 'until'].map((name) => readPhoneDate(order[name] ?? '', dateParser))
    const triggersWebhooks = order['triggerWebhooks'] !== 'false' || !isSince(appVersion, '1.59.0')
    this.readAgain(since!, until!, triggersWebhooks)
  }

  /** Reads what Android keeps of a time. */
  readAgain(since: number, until: number, triggersWebhooks: boolean): void {
    for (const sms of this.#all) {
      const isMeant = sms.receivedAtMs >= since && sms.receivedAtMs <= until
      if (isMeant) this.#process(sms, triggersWebhooks)
    }
  }

  #process(sms: ReceivedSms, triggersWebhooks = true): void {
    const { knobs, note, queue } = this.#house
    const content = [sms.from, sms.receivedAtMs, sms.simNumber, sms.text ?? sms.data].join('|')
    if (isSince(knobs().appVersion, '1.65.2') && this.#rows.has(textIdOf(sms))) {
      return note('inbound-skipped', { from: sms.from, text: sms.text ?? null })
    }
    this.#rows.set(textIdOf(sms), sms)
    if (!triggersWebhooks) return
    queue.emit(sms.data === undefined ? 'sms:received' : 'sms:data-received', {
      messageId: createHash('sha256').update(content).digest('hex').slice(0, 8),
      ...(sms.data === undefined ? { message: sms.text ?? '' } : { data: sms.data }),
      ...this.#parties(sms),
      simNumber: sms.simNumber,
      phoneNumber: sms.from,
      receivedAt: writePhoneDate(sms.receivedAtMs, knobs().zone),
    })
  }

  #parties({ from, simNumber }: ReceivedSms): Record<string, string> {
    const { appVersion, simCards } = this.#house.knobs()
    const own = simCards.find(({ slotIndex }) => slotIndex + 1 === simNumber)?.phoneNumber
    if (!isSince(appVersion, '1.54.0')) return {}
    return { sender: from, ...(own === undefined ? {} : { recipient: own }) }
  }
}

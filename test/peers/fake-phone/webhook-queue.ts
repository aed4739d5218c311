import { createHmac } from 'node:crypto'
import { pick, type Random } from '../seeded-random.ts'
import type { PhoneApi, Registration } from './phone-api.ts'
import { isSince, type PhoneKnobs } from './phone-knobs.ts'
import type { NoteRecord } from './phone-log.ts'
import type { PhoneNetwork } from './phone-network.ts'
import type { PhoneSettings } from './phone-settings.ts'
import type { PhoneTime } from './phone-time.ts'

export interface Webhook {
  id: string
  url: string
  event: string
}

export interface WebhookHouse {
  api: PhoneApi
  knobs(): PhoneKnobs
  settings(): PhoneSettings
  registration(): Registration | null
  webhooks(): readonly Webhook[]
  network: PhoneNetwork
  time: PhoneTime
  random: Random
  note(what: NoteRecord['what'], detail: NoteRecord['detail']): void
}

/** A row of the app's queue; its body stays the same however often it is sent. */
interface Row {
  url: string
  body: string
  event: string
  tries: number
  dueAtMs: number
}

const firstRetryMs = 5_000
/** The version of the app that brought each event; a name that it does not know spoils the whole list. */
const eventsSince: Record<string, string> = {
  'sms:received': '1.0',
  'system:ping': '1.0',
  'sms:sent': '1.0',
  'sms:delivered': '1.0',
  'sms:failed': '1.0',
  'sms:data-received': '1.33',
  'mms:received': '1.47',
  'mms:downloaded': '1.56',
  'app:started': '1.66',
  'sms:cancelled': '1.67',
}

/** Posts what happens on the phone to the URLs that want it: one after another, the retries too, so that a slow one holds all back. */
export class WebhookQueue {
  readonly #house: WebhookHouse
  #rows: Row[] = []
  #isRunning = false
  #takeBack: (() => void) | null = null

  constructor(house: WebhookHouse) {
    this.#house = house
  }

  /** Rows that have been neither taken nor given up. */
  get waiting(): number {
    return this.#rows.length
  }

  hasHookFor(event: string): boolean {
    return this.#house.webhooks().some((webhook) => webhook.event === event)
  }

  emit(event: string, payload: Record<string, unknown>): void {
    const { knobs, random, registration, webhooks } = this.#house
    for (const { id: webhookId, url } of webhooks().filter((webhook) => webhook.event === event)) {
      const times = random() < knobs().webhookDouble ? 2 : 1
      for (let n = 0; n < times; n += 1) {
        const id = randomId(random, 21)
        const body = JSON.stringify({ id, webhookId, event, deviceId: registration()?.id ?? '', payload })
        this.#rows.push({ url, body, event, tries: 0, dueAtMs: performance.now() })
      }
    }
    void this.#run()
  }

  clear(): void {
    this.#rows = []
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#takeBack?.()
    for (;;) {
      const row = this.#rows.find(({ dueAtMs }) => dueAtMs <= performance.now())
      if (row === undefined) break
      if (this.#house.settings().needsInternet) await this.#house.network.whenOnline()
      await this.#post(row)
    }
    this.#isRunning = false
    const nextMs = Math.min(...this.#rows.map(({ dueAtMs }) => dueAtMs))
    if (nextMs === Infinity) return
    const { knobs, time } = this.#house
    this.#takeBack = time.after((nextMs - performance.now()) * knobs().timeScale, () => void this.#run())
  }

  async #post(row: Row): Promise<void> {
    const { api, knobs, note, settings, time } = this.#house
    const timestamp = `${Math.floor(time.now() / 1_000)}`
    row.tries += 1
    const status = await api
      .post(row.url, row.body, {
        'x-timestamp': timestamp,
        'x-signature': signWebhook(settings().signingKey, row.body, timestamp),
      })
      .then(
        (answer) => answer.status,
        () => 0,
      )
    const isTaken = status >= 200 && status <= 299
    if (!isTaken && row.tries <= settings().webhookRetries) {
      row.dueAtMs = performance.now() + (firstRetryMs * 2 ** (row.tries - 1)) / knobs().timeScale
      return
    }
    this.#rows = this.#rows.filter((other) => other !== row)
    if (!isTaken) note('webhook-lost', { event: row.event, status, body: row.body })
  }
}

/** Lower-case hex of HMAC-SHA256 over the body as it is sent, followed by the timestamp. */
const signWebhook = (key: string, body: string, timestamp: string): string =>
  createHmac('sha256', key).update(`${body}${timestamp}`).digest('hex')

/** Reads `GET /webhooks`. Throws on an event that this version does not know, and then the list stays as it was. */
export function readWebhooks(answer: unknown, appVersion: string): Webhook[] {
  if (!Array.isArray(answer)) throw new TypeError('Expected BEGIN_ARRAY')
  const webhooks = answer.map((item: unknown) => {
    const { id, url, event } = (item ?? {}) as Record<string, unknown>
    if (typeof id !== 'string' || typeof url !== 'string' || typeof event !== 'string') {
      throw new TypeError('A webhook lacks id, url or event.')
    }
    const since = eventsSince[event]
    if (since === undefined || !isSince(appVersion, since)) throw new TypeError(`NOT NULL: event ${event}`)
    return { id, url, event }
  })
  if (new Set(webhooks.map(({ id }) => id)).size < webhooks.length) throw new Error('UNIQUE: webhook id')
  return webhooks
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export const randomId = (random: Random, length: number): string =>
  Array.from({ length }, () => alphabet[pick(random, [0, alphabet.length - 1])]).join('')

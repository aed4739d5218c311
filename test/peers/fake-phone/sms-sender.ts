import { type Random, pick } from '../seeded-random.ts'
import {
  dialled,
  type MessageStore,
  stateOf,
  type StoredMessage,
  type StoredRecipient,
} from './message-store.ts'
import type { PhoneKnobs, RadioOutcome } from './phone-knobs.ts'
import type { PhoneLog } from './phone-log.ts'
import type { PhoneSettings } from './phone-settings.ts'
import type { PhoneTime } from './phone-time.ts'
import { countParts } from './sms-parts.ts'

export interface SenderHouse {
  phone: number
  knobs(): PhoneKnobs
  settings(): PhoneSettings
  store: MessageStore
  time: PhoneTime
  random: Random
  log: PhoneLog
}

/** At least this priority goes past the phone's pace. */
const expeditedPriority = 100
const periodMs = {
  Disabled: 0,
  PerMinute: 60_000,
  Per30Minutes: 1_800_000,
  PerHour: 3_600_000,
  PerDay: 86_400_000,
}

/** The app's one sender: one message at a time, of the highest priority, at the pace of its settings. */
export class SmsSender {
  readonly #house: SenderHouse
  readonly #times = new Map<string, number>()
  #sentAtMs: number[] = []
  #nextAtMs = 0
  #takeBack: (() => void) | null = null

  constructor(house: SenderHouse) {
    this.#house = house
  }

  /** Something may have become due. */
  wake(): void {
    this.#takeBack?.()
    this.#takeBack = null
    const { knobs, time } = this.#house
    for (;;) {
      if (knobs().holdPending) return
      const next = this.#next()
      if (next === null) return this.#wakeForSchedule()
      const waitMs = next.priority >= expeditedPriority ? 0 : this.#paceMs()
      if (waitMs > 0) {
        this.#takeBack = time.after(waitMs, () => this.wake())
        return
      }
      this.#send(next)
    }
  }

  #next(): StoredMessage | null {
    const now = this.#house.time.now()
    const newestFirst = this.#house.settings().processingOrder === 'LIFO' ? -1 : 1
    return this.#pending()
      .filter(({ scheduleAtMs }) => (scheduleAtMs ?? 0) <= now)
      .reduce<StoredMessage | null>((best, message) => {
        if (best === null || message.priority > best.priority) return message
        if (message.priority < best.priority) return best
        return (message.createdAtMs - best.createdAtMs) * newestFirst < 0 ? message : best
      }, null)
  }

  #pending(): StoredMessage[] {
    return this.#house.store.all().filter((message) => stateOf(message) === 'Pending')
  }

  #wakeForSchedule(): void {
    const times = this.#pending().map(({ scheduleAtMs }) => scheduleAtMs ?? 0)
    if (times.length > 0) this.#takeBack = this.#house.time.at(Math.min(...times), () => this.wake())
  }

  /** How long the app's own pace holds the next message back, in its time. */
  #paceMs(): number {
    const { limitPeriod, limitValue } = this.#house.settings()
    const { timeScale } = this.#house.knobs()
    const passedMs = (sinceMs: number): number => (performance.now() - sinceMs) * timeScale
    const gapMs = Math.max(0, (this.#nextAtMs - performance.now()) * timeScale)
    const period = periodMs[limitPeriod]
    if (period === 0 || limitValue === null) return gapMs
    this.#sentAtMs = this.#sentAtMs.filter((sentAt) => passedMs(sentAt) < period)
    const last = this.#sentAtMs.at(-1)
    if (last === undefined || this.#sentAtMs.length < limitValue) return gapMs
    return Math.max(gapMs, period + 1_000 - passedMs(last))
  }

  #send(message: StoredMessage): void {
    const { random, settings, store, time, knobs } = this.#house
    const { validUntilMs, recipients } = message
    const { sendIntervalS } = settings()
    this.#sentAtMs.push(performance.now())
    this.#nextAtMs = performance.now() + (pick(random, sendIntervalS) * 1_000) / knobs().timeScale
    for (const recipient of recipients) {
      if (validUntilMs !== null && validUntilMs < time.now())
        store.move(message, recipient, 'Failed', 'TTL expired')
      else this.#sendTo(message, recipient)
    }
  }

  #sendTo(message: StoredMessage, recipient: StoredRecipient): void {
    const { knobs, store } = this.#house
    const { simNumber } = message
    const hasSim = simNumber === null || knobs().simCards.some(({ slotIndex }) => slotIndex + 1 === simNumber)
    const outcome = this.#outcomeFor(recipient)
    if (!hasSim) {
      return store.move(message, recipient, 'Failed', `Can't send message: SIM ${simNumber} not found`)
    }
    if (outcome === 'exception') {
      return store.move(message, recipient, 'Failed', 'sendSMS: java.lang.SecurityException: SEND_SMS denied')
    }
    this.#tellRadio(message, recipient, outcome)
    store.move(message, recipient, 'Processed', null)
    this.#follow(message, recipient, outcome)
  }

  #tellRadio(message: StoredMessage, recipient: StoredRecipient, outcome: RadioOutcome): void {
    const { phone, log } = this.#house
    const { id, text, data, simNumber } = message
    const to = dialled(recipient.phoneNumber)
    const times = (this.#times.get(`${id}|${to}`) ?? 0) + 1
    const parts = text === null ? 1 : countParts(text)
    // Of a text of several parts the first ones may be gone when one is refused.
    const left = (outcome !== 'failed' && outcome !== 'no-service') || parts > 1
    this.#times.set(`${id}|${to}`, times)
    log.append({ kind: 'radio', phone, at: Date.now(), id, to, text, data: data?.data ?? null, simNumber, parts, outcome, left, times }) // prettier-ignore
  }

  #follow(message: StoredMessage, recipient: StoredRecipient, outcome: RadioOutcome): void {
    const { knobs, random, store, time } = this.#house
    const sentAfterMs = pick(random, knobs().sentAfterMs)
    const deliveredAfterMs = sentAfterMs + pick(random, knobs().deliveredAfterMs)
    const later = (
      afterMs: number,
      state: 'Sent' | 'Delivered' | 'Failed',
      error: string | null = null,
    ): void => void time.after(afterMs, () => store.move(message, recipient, state, error))
    if (outcome === 'hang') return
    if (outcome === 'failed' || outcome === 'no-service')
      return later(sentAfterMs, 'Failed', refusals[outcome])
    if (outcome !== 'missing-sent') later(sentAfterMs, 'Sent')
    if (outcome === 'sent' || !message.withDeliveryReport) return
    if (outcome === 'undelivered') {
      return later(deliveredAfterMs, 'Failed', 'Delivery result from SC +491710760000: 65')
    }
    later(deliveredAfterMs, 'Delivered')
    if (outcome === 'regress') later(deliveredAfterMs + sentAfterMs, 'Sent')
  }

  #outcomeFor({ phoneNumber }: StoredRecipient): RadioOutcome {
    const { outcome, outcomeOf } = this.#house.knobs()
    const own = outcomeOf[phoneNumber]
    if (own !== undefined) return own
    if (typeof outcome === 'string') return outcome
    const weights = Object.entries(outcome) as [RadioOutcome, number][]
    let point = this.#house.random() * weights.reduce((sum, [, weight]) => sum + weight, 0)
    return weights.find(([, weight]) => (point -= weight) < 0)?.[0] ?? 'delivered'
  }
}

const refusals = {
  failed: 'Send result: RESULT_ERROR_GENERIC_FAILURE (Generic failure cause)',
  'no-service': 'Send result: RESULT_ERROR_NO_SERVICE (Failed because service is currently unavailable)',
}

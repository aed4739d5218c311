import type { KnownPhone } from '../../src/devices/phones/known-phone.ts'
import type { PhoneReport } from '../../src/dispatch/phones/phone-report.ts'
import type { OfferedMessage } from '../../src/messages/phones/read-offers.ts'

type Snapshot = Omit<PhoneReport, 'deviceId' | 'phoneId'>
interface Held {
  to: string
  text: string
  validUntil: number
  state: PhoneReport['state']
  error: string | null
}

/** Texts that are more than one part. */
export const longText = 'Long'

/** How a hand-over to the radio can go. `silent`: it goes out, and nothing more is heard of it; `bad_part`: of several parts one does not. */
export type Fate = 'goes' | 'silent' | 'radio_off' | 'bad_report' | 'bad_part'

/** What a phone does with what it is given, as the app does, with nothing of HTTP. It alone knows what went over the air. */
export class Handset {
  readonly iccid: string
  /** Whom each message that went over the air went to. */
  readonly #air: string[]
  registration: KnownPhone
  #held = new Map<string, Held>()
  /** Every state that it may yet report, in any order and as often as it likes. */
  snapshots: Snapshot[] = []

  constructor(iccid: string, registration: KnownPhone, air: string[]) {
    this.iccid = iccid
    this.registration = registration
    this.#air = air
  }

  /** The app is gone with all that it knew, and comes back as a new one. */
  installAnew(registration: KnownPhone): void {
    this.registration = registration
    this.#held = new Map()
    this.snapshots = []
  }

  take(offers: readonly OfferedMessage[]): void {
    for (const offer of offers) {
      const known = this.#held.get(offer.attemptId)
      if (offer.state === 'cancelling') this.#cancel(offer.attemptId, known)
      else if (known !== undefined) this.#say(offer.attemptId, known)
      else this.#move(offer.attemptId, { ...offer, state: 'pending', error: null })
    }
  }

  /** One of the messages that wait on the phone is given to the radio. */
  send(which: number, fate: Fate, nowMs: number): void {
    const [id, held] = this.#pick(which, 'pending')
    if (id === undefined || held === undefined) return
    if (held.validUntil <= nowMs) return this.#move(id, { ...held, state: 'failed', error: 'TTL expired' })
    if (fate === 'radio_off' || (fate === 'bad_part' && held.text !== longText)) {
      const error = 'Send result: RESULT_ERROR_RADIO_OFF (Radio off)'
      return this.#move(id, { ...held, state: 'failed', error })
    }
    this.#air.push(held.to)
    if (fate === 'goes') return this.#move(id, { ...held, state: 'processed' })
    if (fate === 'silent') return void this.#held.set(id, { ...held, state: 'processed' })
    const error =
      fate === 'bad_report'
        ? 'Delivery result from SC +491710760000: 65'
        : 'Send result: RESULT_ERROR_GENERIC_FAILURE (Generic failure)'
    this.#move(id, { ...held, state: 'failed', error })
  }

  /** The network answers for one that the radio was given, perhaps with the second answer before the first. */
  hear(which: number, state: 'sent' | 'delivered'): void {
    const [id, held] = this.#pick(which, state === 'sent' ? 'processed' : 'sent', 'processed')
    if (id !== undefined && held !== undefined) this.#move(id, { ...held, state })
  }

  #cancel(id: string, known: Held | undefined): void {
    if (known === undefined) this.snapshots.push({ attemptId: id, state: 'canceled', error: null })
    else if (known.state === 'pending') this.#move(id, { ...known, state: 'canceled' })
  }

  #pick(which: number, ...states: Held['state'][]): [string | undefined, Held | undefined] {
    const fitting = [...this.#held].filter(([, held]) => states.includes(held.state))
    return fitting[which % Math.max(1, fitting.length)] ?? [undefined, undefined]
  }

  #move(id: string, held: Held): void {
    this.#held.set(id, held)
    this.#say(id, held)
  }

  #say(id: string, { state, error }: Held): void {
    this.snapshots.push({ attemptId: id, state, error })
  }
}

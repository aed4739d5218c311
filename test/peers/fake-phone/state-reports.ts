import { pick, type Random } from '../seeded-random.ts'
import { type MessageStore, snapshotOf } from './message-store.ts'
import type { PhoneApi, Registration } from './phone-api.ts'
import { writePhoneDate } from './phone-dates.ts'
import type { PhoneKnobs } from './phone-knobs.ts'
import type { NoteRecord } from './phone-log.ts'
import type { PhoneNetwork } from './phone-network.ts'
import type { PhoneTime } from './phone-time.ts'
import { backoffMs } from './unique-work.ts'

export interface ReportHouse {
  api: PhoneApi
  knobs(): PhoneKnobs
  network: PhoneNetwork
  registration(): Registration | null
  store: MessageStore
  time: PhoneTime
  random: Random
  note(what: NoteRecord['what'], detail: NoteRecord['detail']): void
}

const retries = 10
/** How long a report is held back that younger ones shall overtake. */
const reorderMs: readonly [number, number] = [1_000, 4_000]

/**
 * Tells the server what became of messages. Each change starts a job of its own, so that they overtake each other; its body is
 * what stands in the table when the job runs.
 */
export class StateReports {
  readonly #house: ReportHouse
  #waiting = 0
  #generation = 0

  constructor(house: ReportHouse) {
    this.#house = house
  }

  /** Jobs that have not ended. */
  get waiting(): number {
    return this.#waiting
  }

  report(id: string): void {
    const { knobs, random } = this.#house
    const times = random() < knobs().reportDuplicate ? 2 : 1
    for (let n = 0; n < times; n += 1) void this.#job(id, this.#generation)
  }

  /** A message that the server cancels and the phone has never had; a report that fails is not sent again. */
  reportUnknownCancelled(id: string): void {
    const registration = this.#house.registration()
    if (registration === null) return
    const body = [{ id, state: 'Cancelled', recipients: [], states: {} }]
    this.#patch(registration, body).catch(() => {})
  }

  /** Forgets every job, as removing the app does. */
  clear(): void {
    this.#generation += 1
    this.#waiting = 0
  }

  async #job(id: string, generation: number): Promise<void> {
    const { knobs, random, note } = this.#house
    this.#waiting += 1
    await this.#pause(pick(random, knobs().reportJitterMs))
    for (let failures = 1; generation === this.#generation; failures += 1) {
      try {
        await this.#try(id, () => generation === this.#generation)
        break
      } catch (error) {
        if (failures > retries) {
          note('report-lost', { id, reason: (error as Error).message })
          break
        }
        await this.#pause(backoffMs(failures))
      }
    }
    if (generation === this.#generation) this.#waiting -= 1
  }

  async #try(id: string, isWanted: () => boolean): Promise<void> {
    const { knobs, network, registration, store, random } = this.#house
    await network.whenOnline()
    const held = registration()
    const message = store.get(id)
    if (!isWanted() || held === null || message === null) return
    const body = [snapshotOf(message, (atMs) => writePhoneDate(atMs, knobs().zone))]
    if (random() < knobs().reportReorder) await this.#pause(pick(random, reorderMs))
    if (isWanted()) await this.#patch(held, body)
  }

  async #patch({ token }: Registration, body: unknown[]): Promise<void> {
    await this.#house.api.send({ method: 'PATCH', path: '/message', authorization: `Bearer ${token}`, body })
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#house.time.after(ms, resolve))
  }
}

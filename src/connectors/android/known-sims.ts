import type { Health, SimChoice } from '../connector.ts'
import { ownNumber } from './own-number.ts'
import type { SeenSims } from './phone-health.ts'
import { type AndroidSettings, simChoiceOf } from './settings.ts'

type SimSettings = Pick<AndroidSettings, 'simNumbers' | 'simSelection' | 'country'>

/** The SIMs of one phone with their numbers: as they were set, else as the app tells them. */
export class KnownSims {
  #settings: SimSettings
  #registered: SeenSims | null = null
  #seen: SeenSims | null = null
  /** Null until it is made anew: it is read for each claim. */
  #known: { shown: Health['sims'] | null; choice: SimChoice } | null = null

  constructor(settings: SimSettings) {
    this.#settings = settings
  }

  /** As far as anybody has said them unmasked; null where nobody has said which there are. */
  get shown(): Health['sims'] | null {
    return this.#read().shown
  }

  get choice(): SimChoice {
    return this.#read().choice
  }

  follow(settings: SimSettings): void {
    const before = this.#settings.simNumbers
    // What is known from before a restart may have been set, and not told.
    const isTakenAway = (slot: number, number: string | null): boolean =>
      before[slot - 1] === number && settings.simNumbers[slot - 1] !== number
    this.#seen =
      this.#seen?.map((sim) => (isTakenAway(sim.slot, sim.number) ? { ...sim, number: null } : sim)) ?? null
    this.#settings = settings
    this.#known = null
  }

  /** What it has said when it registered; null where it has said nothing of them. */
  registeredWith(sims: SeenSims | null): void {
    if (JSON.stringify(sims) === JSON.stringify(this.#registered)) return
    this.#registered = sims
    this.#known = null
    // Only a new word tells that a SIM was changed: an earlier one may be older than what was seen.
    if (sims === null) return
    this.#seen =
      this.#seen?.filter((seen) => mayBeSame(seen, sims.find(({ slot }) => slot === seen.slot) ?? seen)) ??
      null
  }

  /** What it has said since, with the numbers in full. */
  saw(sims: SeenSims): void {
    this.#seen = sims
    this.#known = null
  }

  #read(): { shown: Health['sims'] | null; choice: SimChoice } {
    if (this.#known === null) {
      // The app registers anew at each start: of a SIM that was taken out since, only older words tell.
      const there = this.#registered?.map((sim) => this.#seen?.find(({ slot }) => slot === sim.slot) ?? sim)
      const shown = shownSims(there ?? this.#seen, this.#settings)
      this.#known = { shown, choice: simChoiceOf(this.#settings, shown ?? []) }
    }
    return this.#known
  }
}

/**
 * Whether what was seen in a slot may be the SIM that is there now: the app masks a number and an ICCID alike, all but their last four characters, and says
 * no number of a SIM that does not know its own (`GatewayService.redact`, `SubscriptionsHelper.getActiveSimCards`, app 1.68).
 */
const mayBeSame = (seen: SeenSims[number], now: SeenSims[number]): boolean =>
  endsAlike(seen.iccid ?? null, now.iccid ?? null) &&
  (now.number === null ? seen.number === null : endsAlike(seen.number, now.number))

const endsAlike = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one.endsWith(shownEnd(other))

const shownEnd = (text: string): string => text.slice(text.lastIndexOf('*') + 1).slice(-4)

/** SIMs as they are shown: numbers as they were set, else as the app tells them; what it masks is not known. */
const shownSims = (sims: SeenSims | null, { simNumbers, country }: SimSettings): Health['sims'] | null =>
  sims?.map(({ slot, number, carrier }) => ({
    slot,
    number: simNumbers[slot - 1] ?? ownNumber(unmasked(number), country),
    carrier: unmasked(carrier),
  })) ?? null

/** Null for what the app has masked: nobody knows it. */
export const unmasked = (text: string | null): string | null =>
  text === null || text.includes('*') ? null : text

import type { Health } from '../health.ts'
import type { SimChoice } from '../sim-choice.ts'
import { ownNumber } from './own-number.ts'
import type { SeenSims } from './phone-health.ts'
import { type AndroidSettings, simChoiceOf } from './settings.ts'

type SimSettings = Pick<AndroidSettings, 'simNumbers' | 'simSelection' | 'country'>

/** The SIMs of one phone with their numbers: as set, or as the app reports them. */
export class KnownSims {
  #settings: SimSettings
  #registered: SeenSims | null = null
  #seen: SeenSims | null = null
  /** Null until it is rebuilt: it is read for each claim. */
  #known: { shown: Health['sims'] | null; choice: SimChoice } | null = null

  constructor(settings: SimSettings) {
    this.#settings = settings
  }

  /** The SIMs as far as their data are known unmasked; null if it is unknown which exist. */
  get shown(): Health['sims'] | null {
    return this.#read().shown
  }

  get choice(): SimChoice {
    return this.#read().choice
  }

  follow(settings: SimSettings): void {
    const before = this.#settings.simNumbers
    // A number known from before a restart may have been set, not reported.
    const isTakenAway = (slot: number, number: string | null): boolean =>
      before[slot - 1] === number && settings.simNumbers[slot - 1] !== number
    this.#seen =
      this.#seen?.map((sim) => (isTakenAway(sim.slot, sim.number) ? { ...sim, number: null } : sim)) ?? null
    this.#settings = settings
    this.#known = null
  }

  /** Applies what the phone reported when it registered; null if it reported no SIMs. */
  registeredWith(sims: SeenSims | null): void {
    if (JSON.stringify(sims) === JSON.stringify(this.#registered)) return
    this.#registered = sims
    this.#known = null
    // Only a new report shows that a SIM was changed: an earlier one may be older than what was seen.
    if (sims === null) return
    this.#seen =
      this.#seen?.filter((seen) => mayBeSame(seen, sims.find(({ slot }) => slot === seen.slot) ?? seen)) ??
      null
  }

  /** Applies what the phone has reported since, with full numbers. */
  saw(sims: SeenSims): void {
    this.#seen = sims
    this.#known = null
  }

  #read(): { shown: Health['sims'] | null; choice: SimChoice } {
    if (this.#known === null) {
      // The app registers again at each start: only older reports include a SIM that was removed since.
      const there = this.#registered?.map((sim) => this.#seen?.find(({ slot }) => slot === sim.slot) ?? sim)
      const shown = shownSims(there ?? this.#seen, this.#settings)
      this.#known = { shown, choice: simChoiceOf(this.#settings, shown ?? []) }
    }
    return this.#known
  }
}

/**
 * Returns whether what was seen in a slot may be the SIM that is there now. The app masks numbers and ICCIDs
 * the same way, except for their last four characters, and reports no number for a SIM that does not know its
 * own (`GatewayService.redact`, `SubscriptionsHelper.getActiveSimCards`, app 1.68).
 */
const mayBeSame = (seen: SeenSims[number], now: SeenSims[number]): boolean =>
  endsAlike(seen.iccid ?? null, now.iccid ?? null) &&
  (now.number === null ? seen.number === null : endsAlike(seen.number, now.number))

const endsAlike = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one.endsWith(shownEnd(other))

const shownEnd = (text: string): string => text.slice(text.lastIndexOf('*') + 1).slice(-4)

/** Returns the SIMs to show: numbers as set, or as the app reports them; masked ones are unknown. */
const shownSims = (sims: SeenSims | null, { simNumbers, country }: SimSettings): Health['sims'] | null =>
  sims?.map(({ slot, number, carrier }) => ({
    slot,
    number: simNumbers[slot - 1] ?? ownNumber(unmasked(number), country),
    carrier: unmasked(carrier),
  })) ?? null

/** Returns null for masked text, whose value is unknown. */
export const unmasked = (text: string | null): string | null =>
  text === null || text.includes('*') ? null : text

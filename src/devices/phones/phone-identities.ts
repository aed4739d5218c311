import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { findPhone, type KnownPhone, type PhoneDeps } from './registered-phones.ts'

interface PhoneIdentitiesDeps extends Pick<PhoneDeps, 'secretBox'> {
  read: Db
  clock: Pick<Clock, 'monotonicMs'>
}

type Shown = Parameters<typeof findPhone>[2]

/** A token that was superseded, or whose device was removed, is refused within this time on other nodes. */
const knownLifeMs = 2_000
/** A phone that was removed knocks for ever: it shall cost no look into the database each time. */
const strangerLifeMs = 1_000
const maxPhones = 20_000
const maxStrangers = 10_000

interface Found {
  phone: KnownPhone | null
  staleAtMs: number
}

/** Knows phones by what they show. Those that are known and those that are not are remembered apart, so that a flood puts out nobody. */
export class PhoneIdentities {
  readonly #deps: PhoneIdentitiesDeps
  readonly #phones = new BoundedMap<Found>(maxPhones)
  readonly #strangers = new BoundedMap<Found>(maxStrangers)
  #generation = 0

  constructor(deps: PhoneIdentitiesDeps) {
    this.#deps = deps
  }

  /** Whose token or hook secret this is; null when nobody's any more. */
  async find(shown: Shown): Promise<KnownPhone | null> {
    const name = 'deviceToken' in shown ? `t${shown.deviceToken}` : `h${shown.hookSecret}`
    const nowMs = this.#deps.clock.monotonicMs()
    const known = this.#phones.get(name) ?? this.#strangers.get(name)
    if (known !== undefined && known.staleAtMs > nowMs) return known.phone
    const generation = this.#generation
    const phone = await findPhone(this.#deps.read, this.#deps, shown)
    // A look-up that was under way at a change is not remembered.
    if (generation !== this.#generation) return phone
    if (phone !== null) this.#phones.set(name, { phone, staleAtMs: nowMs + knownLifeMs })
    else {
      this.#phones.delete(name)
      this.#strangers.set(name, { phone, staleAtMs: nowMs + strangerLifeMs })
    }
    return phone
  }

  /** Something changed: the next look is into the database. */
  forget(): void {
    this.#generation += 1
    this.#phones.clear()
    this.#strangers.clear()
  }
}

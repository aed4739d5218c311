import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { findPhone, type KnownPhone, type ShownPhone } from './known-phone.ts'
import type { PhoneDeps } from './registered-phones.ts'

interface PhoneIdentitiesDeps extends Pick<PhoneDeps, 'secretBox'> {
  read: Db
  clock: Pick<Clock, 'monotonicMs'>
}

/** Other nodes reject a superseded token, or one of a removed device, within this time. */
const knownTtlMs = 2_000
/** A removed phone retries indefinitely: it must not cost a database read each time. */
const unknownTtlMs = 1_000
const maxPhones = 20_000
const maxUnknown = 10_000

const nameOf = (shown: ShownPhone): string => {
  if ('deviceId' in shown) return `d${shown.deviceId}`
  return 'deviceToken' in shown ? `t${shown.deviceToken}` : `h${shown.hookSecret}`
}

interface Found {
  phone: KnownPhone | null
  staleAtMs: number
}

/**
 * Caches phones by their credentials. Known and unknown ones are cached separately, so that a flood evicts no
 * known phone.
 */
export class PhoneIdentities {
  readonly #deps: PhoneIdentitiesDeps
  readonly #phones = new BoundedMap<Found>(maxPhones)
  readonly #unknown = new BoundedMap<Found>(maxUnknown)
  #generation = 0

  constructor(deps: PhoneIdentitiesDeps) {
    this.#deps = deps
  }

  /** Returns the phone of a token, hook secret or device; null if it is not valid any more. */
  async find(shown: ShownPhone): Promise<KnownPhone | null> {
    const name = nameOf(shown)
    const nowMs = this.#deps.clock.monotonicMs()
    const known = this.#phones.get(name) ?? this.#unknown.get(name)
    if (known !== undefined && known.staleAtMs > nowMs) return known.phone
    const generation = this.#generation
    const phone = await findPhone(this.#deps.read, this.#deps, shown, known?.phone)
    // A lookup that was running during a change is not cached.
    if (generation !== this.#generation) return phone
    if (phone !== null) this.#phones.set(name, { phone, staleAtMs: nowMs + knownTtlMs })
    else {
      this.#phones.delete(name)
      this.#unknown.set(name, { phone, staleAtMs: nowMs + unknownTtlMs })
    }
    return phone
  }

  /** Clears the cache after a change: the next lookup reads the database. */
  forget(): void {
    this.#generation += 1
    this.#phones.clear()
    this.#unknown.clear()
  }
}

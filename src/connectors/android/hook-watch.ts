import { hourMs, minuteMs } from '../../runtime/clock.ts'
import type { Health } from '../health.ts'

/**
 * How the address that a phone was given for what it receives compares with the one that it uses: the same, one
 * of the phone itself, or another host.
 */
export type HookAddress = 'same' | 'own_machine' | 'other'

/** How what a client called compares with an address of this server; `unclear`: a proxy or a cable may hide it. */
export type CalledAddress = 'same' | 'unclear' | 'other'

/** Why a phone may not forward what it receives. */
export type HookReason = 'receives_nothing' | 'hook_address_differs' | 'hooks_silent'

/** The app pings every 10 min by default: by then several signed hooks are missing. */
const silentAfterMs = 2 * hourMs

/** By which address a phone called; omitted: as before. */
export interface Called {
  hookAddress?: HookAddress
  /** The address of phones, and how what the phone called compares with it. */
  called?: { address: string; how: CalledAddress }
}

/** Watches by which address one phone calls, and whether its signed hooks arrive. */
export class HookWatch {
  #address: HookAddress = 'same'
  #firstContactMs: number | null = null
  #hasArrived = false
  /** Hooks arrived during an earlier start of this server. */
  #hadArrived = false
  #patientUntilMs = Number.NEGATIVE_INFINITY
  #called: (NonNullable<Called['called']> & { atMs: number }) | null = null
  #lastContact: Health['contact']

  /** Applies what an earlier start of this server knew: a ping that reported the battery was a hook. */
  remember(
    { battery, contact }: Pick<Health, 'battery' | 'contact'>,
    nowMs: number,
    pingIntervalS: number,
  ): void {
    const hadBattery = battery !== null
    this.#hadArrived = hadBattery
    this.#lastContact ??= contact
    // A proxy that changes the host makes every phone look so; its next ping shows that hooks arrive.
    if (hadBattery) this.#patientUntilMs = nowMs + pingIntervalS * 1_000 + minuteMs
  }

  /** Records contact, by both clocks, and by which address. */
  contact(
    { nowMs, atMs }: { nowMs: number; atMs: number },
    { hookAddress = this.#address, called }: Called,
  ): void {
    this.#address = hookAddress
    this.#firstContactMs ??= nowMs
    if (called === undefined) return
    this.#called = { atMs, ...called }
    if (called.how !== 'other')
      this.#lastContact = { atMs, address: called.address, isCertain: called.how === 'same' }
  }

  /** What its calls show: why its hooks may not arrive, and its last contact that may have been by the address of phones. */
  shown(nowMs: number, pingIntervalS: number): { hooks: HookReason | null; contact?: Health['contact'] } {
    const hooks = this.#reason(nowMs, pingIntervalS)
    return this.#lastContact === undefined ? { hooks } : { hooks, contact: this.#lastContact }
  }

  /** Records that the last contact was a hook with a valid signature. */
  arrived(): void {
    this.#hasArrived = true
    // The phone had its address from this server: a proxy has changed what it called, unless that was an earlier address.
    if (this.#called?.how !== 'other') return
    const { atMs, address } = this.#called
    this.#lastContact = { atMs, address, isCertain: false }
  }

  /** Returns what to report; null while hooks arrive, or may still. Without pings silence means nothing. */
  #reason(nowMs: number, pingIntervalS: number): HookReason | null {
    if (this.#address === 'own_machine') return 'receives_nothing'
    if (this.#hasArrived || this.#firstContactMs === null) return null
    if (this.#address === 'other' && nowMs >= this.#patientUntilMs) return 'hook_address_differs'
    const isSilent = pingIntervalS > 0 && nowMs - this.#firstContactMs >= silentAfterMs
    return isSilent && !this.#hadArrived ? 'hooks_silent' : null
  }
}

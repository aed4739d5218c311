import { hourMs, minuteMs } from '../../runtime/clock.ts'

/**
 * How the address that a phone was given for what it receives compares with the one that it uses: the same, one
 * of the phone itself, or another host.
 */
export type HookAddress = 'same' | 'own_machine' | 'other'

/** Why a phone may not forward what it receives. */
export type HookReason = 'receives_nothing' | 'hook_address_differs' | 'hooks_silent'

/** The app pings every 10 min by default: by then several signed hooks are missing. */
const silentAfterMs = 2 * hourMs

/** Watches whether the signed hooks of one phone arrive. */
export class HookWatch {
  #address: HookAddress = 'same'
  #firstContactMs: number | null = null
  #hasArrived = false
  /** Hooks arrived during an earlier start of this server. */
  #hadArrived = false
  #patientUntilMs = Number.NEGATIVE_INFINITY

  /** Applies what an earlier start of this server knew: a ping that reported the battery was a hook. */
  remember(hadBattery: boolean, nowMs: number, pingIntervalS: number): void {
    this.#hadArrived = hadBattery
    // A proxy that changes the host makes every phone look so; its next ping shows that hooks arrive.
    if (hadBattery) this.#patientUntilMs = nowMs + pingIntervalS * 1_000 + minuteMs
  }

  /** Records contact, and by which address; omitted: as before. */
  contact(nowMs: number, address: HookAddress = this.#address): void {
    this.#address = address
    this.#firstContactMs ??= nowMs
  }

  /** Records a hook with a valid signature. */
  arrived(): void {
    this.#hasArrived = true
  }

  /** Returns what to report; null while hooks arrive, or may still. Without pings silence means nothing. */
  reason(nowMs: number, pingIntervalS: number): HookReason | null {
    if (this.#address === 'own_machine') return 'receives_nothing'
    if (this.#hasArrived || this.#firstContactMs === null) return null
    if (this.#address === 'other' && nowMs >= this.#patientUntilMs) return 'hook_address_differs'
    const isSilent = pingIntervalS > 0 && nowMs - this.#firstContactMs >= silentAfterMs
    return isSilent && !this.#hadArrived ? 'hooks_silent' : null
  }
}

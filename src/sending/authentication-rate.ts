import type { Caller } from '../accounts/keys/authenticator.ts'
import type { Config } from '../config.ts'
import { presentSpelling } from '../numbers/number-changes.ts'
import type { Clock } from '../runtime/clock.ts'
import { refuse } from '../runtime/errors.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'
import { SlidingCount } from '../runtime/sliding-count.ts'
import { codesWindowMs, PlannedRate, plannedCodes, rateFault } from './planned-rate.ts'
import type { CheckedSend } from './prepare-send.ts'
import type { SendPorts } from './send-ports.ts'

export interface AuthenticationRateDeps {
  clock: Pick<Clock, 'monotonicMs'>
  counts?: SharedCounts | undefined
  config: Pick<Config, 'authMessagesPerRecipient'>
  ports: Pick<SendPorts, 'timesTo'>
}

/** Limits the authentication messages of one account and mode to one number within any 10 minutes. */
export class AuthenticationRate {
  readonly #perNumber: number
  /** Those of the last 10 minutes, by account, mode and number. */
  readonly #recent: SlidingCount
  readonly #planned: PlannedRate

  constructor({ clock, counts, config, ports }: AuthenticationRateDeps) {
    this.#perNumber = config.authMessagesPerRecipient
    const shared = counts === undefined ? undefined : { counts, kind: 'codes' }
    this.#recent = new SlidingCount({ clock, shared }, { windowMs: codesWindowMs, most: this.#perNumber })
    this.#planned = new PlannedRate(ports, plannedCodes)
  }

  /** Rejects (429) a send if one of its numbers has reached the limit; otherwise counts it until undone. */
  count({ accountId, mode }: Caller, { body, recipients }: CheckedSend): (() => void) | null {
    if (body.category !== 'authentication' || this.#perNumber === 0) return null
    const keys = recipients.map(({ to }) => `${accountId}:${mode}:${presentSpelling(to)}`)
    const waits = keys.map((key) => this.#recent.waitSeconds(key))
    const retryAfterSeconds = Math.max(...waits)
    if (retryAfterSeconds === 0) {
      for (const key of keys) this.#recent.add(key)
      return () => keys.forEach((key) => this.#recent.giveBack(key))
    }
    throw refuse('recipient_rate_limited', {
      detail: `Too many authentication messages to these numbers within the last 10 minutes. Wait ${retryAfterSeconds} s.`,
      errors: waits.flatMap((wait, i) =>
        wait === 0 ? [] : [rateFault(recipients[i], 'Too many authentication messages to this number.')],
      ),
      violated_policies: ['authentication-messages'],
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }

  /**
   * Applies the limit to the send time of a scheduled send, which was counted when it was accepted. Returns the
   * function to call once the send is stored or rejected; null if there is nothing to release.
   */
  async plan(
    caller: Caller,
    { body, recipients, sendAtMs }: Pick<CheckedSend, 'body' | 'recipients' | 'sendAtMs'>,
    nowMs: number,
  ): Promise<(() => void) | null> {
    const perNumber = this.#perNumber
    if (body.category !== 'authentication' || perNumber === 0 || sendAtMs === null || sendAtMs <= nowMs)
      return null
    return this.#planned.judge(caller, { recipients, sendAtMs, nowMs }, { perNumber, perPrefix: 0 })
  }
}

import type { Caller } from '../accounts/keys/authenticator.ts'
import { type Clock, hourMs } from '../runtime/clock.ts'
import type { Config } from '../config.ts'
import { refuse } from '../runtime/errors.ts'
import { presentSpelling } from '../numbers/number-changes.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'
import { SlidingCount } from '../runtime/sliding-count.ts'
import { PlannedRate, plannedHours, type RecipientLimits, rateFault } from './planned-rate.ts'
import type { CheckedSend } from './prepare-send.ts'
import { prefixOf, PumpingWatch, type Watched } from './pumping-watch.ts'
import type { SendPorts } from './send-ports.ts'

export interface RecipientRateDeps {
  clock: Pick<Clock, 'monotonicMs'>
  counts?: SharedCounts | undefined
  config: Pick<Config, 'messagesPerNumber' | 'messagesPerPrefix' | 'pumpingNumbers' | 'pumpingMessages'>
  ports: Pick<SendPorts, 'pauseForPumping' | 'timesTo'>
}

/**
 * Limits the messages of one account to one number and to its number block in an hour, and watches for SMS
 * pumping: for live messages only.
 */
export class RecipientRate {
  readonly #deps: RecipientRateDeps
  /** Messages of the last hour, by account and number or number block. */
  readonly #lastHour: SlidingCount
  readonly #planned: PlannedRate
  readonly #pumping: PumpingWatch

  constructor(deps: RecipientRateDeps) {
    this.#deps = deps
    const { clock, counts } = deps
    const shared = counts === undefined ? undefined : { counts, kind: 'velocity' }
    this.#lastHour = new SlidingCount({ clock, shared }, { windowMs: hourMs })
    this.#planned = new PlannedRate(deps.ports, plannedHours)
    this.#pumping = new PumpingWatch(deps)
  }

  /**
   * Rejects (429) a send above a limit; otherwise counts it, and returns the function to call once with
   * whether it was stored: if not, the count is undone. A scheduled send counts in the hour of its send time,
   * and also in this one if that may be the same.
   */
  async count(
    caller: Caller,
    { recipients, sendAtMs }: Pick<CheckedSend, 'recipients' | 'sendAtMs'>,
    nowMs: number,
  ): Promise<((isStored: boolean) => void) | null> {
    const { config } = this.#deps
    const perNumber = caller.recipientLimits.numberPerHour ?? config.messagesPerNumber
    const perPrefix = caller.recipientLimits.prefixPerHour ?? config.messagesPerPrefix
    if (caller.mode === 'test' || (perNumber === 0 && perPrefix === 0)) return null
    const limits = { perNumber, perPrefix }
    const isThisHour = sendAtMs === null || sendAtMs - nowMs < hourMs
    const undo = isThisHour ? this.#countNow(caller, recipients, limits) : null
    if (sendAtMs === null || sendAtMs <= nowMs) return (isStored) => void (isStored || undo?.())
    try {
      const release = await this.#planned.judge(caller, { recipients, sendAtMs, nowMs }, limits)
      return (isStored) => {
        release()
        if (!isStored) undo?.()
      }
    } catch (error) {
      undo?.()
      throw error
    }
  }

  #countNow(
    { accountId }: Caller,
    recipients: CheckedSend['recipients'],
    { perNumber, perPrefix }: RecipientLimits,
  ): () => void {
    const limits = recipients.map(({ to }) => {
      const number = presentSpelling(to)
      return [
        ...(perNumber === 0 ? [] : [{ name: `${accountId}:${number}`, most: perNumber }]),
        ...(perPrefix === 0 ? [] : [{ name: `${accountId}:${prefixOf(number)}*`, most: perPrefix }]),
      ]
    })
    const counted: string[] = []
    const undo = (): void => counted.forEach((name) => this.#lastHour.giveBack(name))
    const waits = limits.map((names) => {
      // Several recipients of one block count one after another.
      const wait = Math.max(...names.map(({ name, most }) => this.#lastHour.waitSeconds(name, most)))
      for (const { name } of names) {
        this.#lastHour.add(name)
        counted.push(name)
      }
      return wait
    })
    const retryAfterSeconds = Math.max(...waits)
    if (retryAfterSeconds === 0) return undo
    undo()
    throw refuse('recipient_rate_limited', {
      detail: `Too many messages to these numbers, or to their number blocks, within the last hour. Wait ${retryAfterSeconds} s.`,
      errors: waits.flatMap((wait, i) => (wait === 0 ? [] : [rateFault(recipients[i])])),
      violated_policies: ['recipients-per-hour'],
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }

  /**
   * Suspends the account and rejects (403) the send with which its messages begin to look like pumping. Codes
   * are always watched; other messages only with a single recipient, because pumping does not use a list that
   * the account has made. Returns the function that counts the send once it is stored: concurrent sends do
   * not see each other.
   */
  async watch(
    { accountId, mode, recipientLimits }: Caller,
    { body, recipients }: CheckedSend,
  ): Promise<() => void> {
    const watched: Watched = body.category === 'authentication' ? 'codes' : 'others'
    if (mode === 'test' || (watched === 'others' && recipients.length > 1)) return () => undefined
    const numbers = recipients.map(({ to }) => presentSpelling(to))
    const most = this.#maxInBlock(recipientLimits, watched)
    const sign = this.#pumping.signOf(accountId, watched, numbers, most)
    if (sign === null) return () => most > 0 && this.#pumping.note(accountId, watched, numbers)
    await this.#deps.ports.pauseForPumping(accountId, sign)
    this.#pumping.forget(accountId)
    throw refuse('account_suspended', {
      detail:
        'The account was suspended: its messages go to numbers in the same block, which looks like SMS pumping.',
    })
  }

  /**
   * The number of codes: the setting, or the account's own, which never lowers the setting for other
   * messages. 0 disables both.
   */
  #maxInBlock({ pumpingNumbers: own }: Caller['recipientLimits'], watched: Watched): number {
    const { pumpingNumbers, pumpingMessages } = this.#deps.config
    const codes = own ?? pumpingNumbers
    if (watched === 'codes') return codes
    return codes === 0 || pumpingMessages === 0 ? 0 : Math.max(own ?? 0, pumpingMessages)
  }
}

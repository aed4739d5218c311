import type { Caller } from '../accounts/keys/authenticator.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../config.ts'
import { refuse } from '../runtime/errors.ts'
import { presentSpelling } from '../numbers/number-changes.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'
import { PlannedRate, plannedCodes, plannedHours, type RecipientLimits, rateFault } from './planned-rate.ts'
import type { CheckedSend } from './prepare-send.ts'
import { prefixOf, PumpingWatch, type Watched } from './pumping-watch.ts'
import type { SendPorts } from './send-ports.ts'
import { Velocity, windowMs } from './velocity.ts'

export interface RecipientGuardDeps {
  clock: Pick<Clock, 'monotonicMs'>
  counts?: SharedCounts | undefined
  config: Pick<
    Config,
    | 'messagesPerNumber'
    | 'messagesPerPrefix'
    | 'authMessagesPerRecipient'
    | 'pumpingNumbers'
    | 'pumpingMessages'
  >
  ports: Pick<SendPorts, 'pauseForPumping' | 'timesTo'>
}

/**
 * Limits of what one account sends to one number and to neighbouring numbers in an hour, and the watch for pumping: of live messages only. And of
 * the codes to one number that are to go later.
 */
export class RecipientGuard {
  readonly #deps: RecipientGuardDeps
  readonly #velocity: Velocity
  readonly #planned: PlannedRate
  readonly #plannedCodes: PlannedRate
  readonly #pumping: PumpingWatch

  constructor(deps: RecipientGuardDeps) {
    this.#deps = deps
    this.#velocity = new Velocity(deps)
    this.#planned = new PlannedRate(deps.ports, plannedHours)
    this.#plannedCodes = new PlannedRate(deps.ports, plannedCodes)
    this.#pumping = new PumpingWatch(deps)
  }

  /**
   * Refuses (429) what goes beyond a limit; else counts it, and gives what is to be told once whether it was stored: what was not counts no more.
   * What is to be sent later counts in the hour in which it goes, and in this one too where that may be the same.
   */
  async count(
    caller: Caller,
    send: Pick<CheckedSend, 'body' | 'recipients' | 'sendAtMs'>,
    nowMs: number,
  ): Promise<((isStored: boolean) => void) | null> {
    const forgetCodes = await this.#planCodes(caller, send, nowMs)
    try {
      const settle = await this.#countHour(caller, send, nowMs)
      return (isStored) => {
        forgetCodes?.()
        settle?.(isStored)
      }
    } catch (error) {
      forgetCodes?.()
      throw error
    }
  }

  /** Codes were counted when they were accepted; as many may go at one time as in any 10 minutes. */
  async #planCodes(
    caller: Caller,
    { body, recipients, sendAtMs }: Pick<CheckedSend, 'body' | 'recipients' | 'sendAtMs'>,
    nowMs: number,
  ): Promise<(() => void) | null> {
    const perNumber = this.#deps.config.authMessagesPerRecipient
    if (body.category !== 'authentication' || perNumber === 0 || sendAtMs === null || sendAtMs <= nowMs)
      return null
    return this.#plannedCodes.judge(caller, { recipients, sendAtMs, nowMs }, { perNumber, perPrefix: 0 })
  }

  async #countHour(
    caller: Caller,
    send: Pick<CheckedSend, 'recipients' | 'sendAtMs'>,
    nowMs: number,
  ): Promise<((isStored: boolean) => void) | null> {
    const { config } = this.#deps
    const perNumber = caller.guard.numberPerHour ?? config.messagesPerNumber
    const perPrefix = caller.guard.prefixPerHour ?? config.messagesPerPrefix
    if (caller.mode === 'test' || (perNumber === 0 && perPrefix === 0)) return null
    const { sendAtMs, recipients } = send
    const limits = { perNumber, perPrefix }
    const isThisHour = sendAtMs === null || sendAtMs - nowMs < windowMs
    const takeBack = isThisHour ? this.#countNow(caller, recipients, limits) : null
    if (sendAtMs === null || sendAtMs <= nowMs) return (isStored) => void (isStored || takeBack?.())
    try {
      const forget = await this.#planned.judge(caller, { recipients, sendAtMs, nowMs }, limits)
      return (isStored) => {
        forget()
        if (!isStored) takeBack?.()
      }
    } catch (error) {
      takeBack?.()
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
    const takeBack = (): void => counted.forEach((name) => this.#velocity.add(name, -1))
    const waits = limits.map((names) => {
      // Of several neighbours in one send each sees those before it.
      const wait = Math.max(...names.map(({ name, most }) => this.#velocity.waitSeconds(name, most)))
      for (const { name } of names) {
        this.#velocity.add(name, 1)
        counted.push(name)
      }
      return wait
    })
    const retryAfterSeconds = Math.max(...waits)
    if (retryAfterSeconds === 0) return takeBack
    takeBack()
    throw refuse('recipient_rate_limited', {
      detail: `These numbers, or their neighbours, have had their messages of the last hour; wait ${retryAfterSeconds} s.`,
      errors: waits.flatMap((wait, i) => (wait === 0 ? [] : [rateFault(recipients[i])])),
      violated_policies: ['recipients-per-hour'],
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }

  /**
   * Suspends the account and refuses (403) the send with which its messages begin to look like pumping. Codes are watched whatever they are sent with;
   * anything else where it goes to one number at a time: nobody pumps with a list that the account has made. Gives what counts the send once it is
   * stored: of several that are under way at once none sees the others.
   */
  async watch({ accountId, mode, guard }: Caller, { body, recipients }: CheckedSend): Promise<() => void> {
    const watched: Watched = body.category === 'authentication' ? 'codes' : 'others'
    if (mode === 'test' || (watched === 'others' && recipients.length > 1)) return () => undefined
    const numbers = recipients.map(({ to }) => presentSpelling(to))
    const most = this.#maxNeighbours(guard, watched)
    const sign = this.#pumping.signOf(accountId, watched, numbers, most)
    if (sign === null) return () => most > 0 && this.#pumping.note(accountId, watched, numbers)
    await this.#deps.ports.pauseForPumping(accountId, sign)
    this.#pumping.forget(accountId)
    throw refuse('account_suspended', {
      detail:
        'The account was suspended: its messages go to neighbouring numbers, which looks like SMS pumping.',
    })
  }

  /** The number of codes: of all, or an account's own, which never lowers what is usual of other messages. 0 switches off both. */
  #maxNeighbours({ pumpingNumbers: own }: Caller['guard'], watched: Watched): number {
    const { pumpingNumbers, pumpingMessages } = this.#deps.config
    const codes = own ?? pumpingNumbers
    if (watched === 'codes') return codes
    return codes === 0 || pumpingMessages === 0 ? 0 : Math.max(own ?? 0, pumpingMessages)
  }
}

import type { Caller } from '../../accounts/authenticator.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { refuse } from '../../errors.ts'
import type { SharedCounts } from '../../shared-counts.ts'
import type { CheckedSend } from './prepare-send.ts'
import { prefixOf, PumpingWatch } from './pumping-watch.ts'
import type { SendPorts } from './send-ports.ts'
import { Velocity } from './velocity.ts'

export interface RecipientGuardDeps {
  clock: Pick<Clock, 'monotonicMs'>
  counts?: SharedCounts | undefined
  config: Pick<Config, 'messagesPerNumber' | 'messagesPerPrefix' | 'pumpingNumbers'>
  ports: Pick<SendPorts, 'pauseForPumping'>
}

/** Limits of what one account sends to one number and to neighbouring numbers in an hour, and the watch for pumping. Live messages only. */
export class RecipientGuard {
  readonly #deps: RecipientGuardDeps
  readonly #velocity: Velocity
  readonly #pumping: PumpingWatch

  constructor(deps: RecipientGuardDeps) {
    this.#deps = deps
    this.#velocity = new Velocity(deps)
    this.#pumping = new PumpingWatch(deps)
  }

  /** Refuses (429) what goes beyond a limit; else counts it, and gives what takes that back. Null: there is nothing to take back. */
  count({ accountId, mode, guard }: Caller, { recipients }: CheckedSend): (() => void) | null {
    const { config } = this.#deps
    const perNumber = guard.numberPerHour ?? config.messagesPerNumber
    const perPrefix = guard.prefixPerHour ?? config.messagesPerPrefix
    if (mode === 'test' || (perNumber === 0 && perPrefix === 0)) return null
    const limits = recipients.map(({ to }) => [
      ...(perNumber === 0 ? [] : [{ name: `${accountId}:${to}`, most: perNumber }]),
      ...(perPrefix === 0 ? [] : [{ name: `${accountId}:${prefixOf(to)}*`, most: perPrefix }]),
    ])
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
      errors: waits.flatMap((wait, i) =>
        wait === 0
          ? []
          : [
              {
                pointer: recipients[i]?.pointer ?? '/to',
                code: 'recipient_rate_limited' as const,
                detail: 'This number, or its neighbours, were sent too many messages.',
              },
            ],
      ),
      violated_policies: ['recipients-per-hour'],
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }

  /** Suspends the account and refuses (403) the send with which its codes begin to look like pumping. */
  async watch({ accountId, mode, guard }: Caller, { body, recipients }: CheckedSend): Promise<void> {
    if (mode === 'test' || body.category !== 'authentication') return
    const most = guard.pumpingNumbers ?? this.#deps.config.pumpingNumbers
    const numbers = recipients.map(({ to }) => to)
    const sign = this.#pumping.note(accountId, numbers, most)
    if (sign === null) return
    await this.#deps.ports.pauseForPumping(accountId, sign)
    this.#pumping.forget(accountId)
    throw refuse('account_suspended', {
      detail:
        'The account was suspended: its codes go to neighbouring numbers, which looks like SMS pumping.',
    })
  }
}

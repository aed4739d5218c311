import type { Way } from '../devices/routes/way.ts'
import type { Routing } from '../dispatch/devices/routing.ts'
import type { Route } from '../dispatch/routes/candidate.ts'
import type { ExplainedStage } from '../dispatch/routes/explain-route.ts'
import type { RouteBook } from '../dispatch/routes/route-book.ts'
import type { Decision } from '../messages/send/decide-sends.ts'
import type { SendRequest, SendResult, StoredSend } from '../messages/send/send-request.ts'
import type { AroundTime, NumberRange } from '../messages/send/times-to-numbers.ts'
import type { PumpingSign } from './pumping-watch.ts'
import type { Mode } from '../storage/tables/schema.ts'

/** What a send needs from other rooms. */
export interface SendPorts {
  /**
   * Stores and holds, replays or rejects a send; resolves after the flush. A `StorageError` of
   * `outcome_unknown` means that the send may have been stored; after any other error, it was not.
   */
  store(request: SendRequest): Promise<SendResult>
  /** Returns what `store` would decide now; stores nothing. */
  priceOnly(request: SendRequest): Promise<Decision>
  /** Returns the send stored under an idempotency key. */
  findReplay(name: { accountId: string; mode: Mode; key: string }): Promise<StoredSend | null>
  /** Returns which of these numbers have opted out of this account. */
  optedOut(accountId: string, mode: Mode, numbers: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Returns when an account sends to numbers of these ranges, within a span of time, by the target of each
   * range.
   */
  timesTo(around: AroundTime, ranges: readonly NumberRange[]): Promise<ReadonlyMap<string, readonly number[]>>
  /** Suspends an account whose messages look like SMS pumping; resolves when that is stored. */
  pauseForPumping(accountId: string, sign: PumpingSign): Promise<void>
  /** Returns the number of queued parts. */
  waitingParts(accountId: string, mode: Mode): Promise<number>
  /** Combines the devices of an account that can use `sender`, or all of them with null; from memory. `own`: only of its own, without simulators; `way`: only those that it names. */
  routing: {
    forAccount(
      accountId: string,
      mode: Mode,
      sender: string | null,
      encodingForced: boolean,
      which?: 'all' | 'own',
      way?: Way,
    ): Routing
  }
  /** Finds what the rules of routes say of a message, and its way; from memory. */
  routes: Pick<RouteBook, 'choose' | 'resolve'>
  /** Explains over which devices a message goes now. */
  explain(route: Route, message: { way: Way; parts: number }): ExplainedStage[]
}

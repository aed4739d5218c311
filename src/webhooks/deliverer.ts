import { Batcher } from '../runtime/batcher.ts'
import type { Clock } from '../runtime/clock.ts'
import type { SecretBox } from '../runtime/secret-box.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Service } from '../process/lifecycle.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { programVersion } from '../process/program-version.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { Writer } from '../storage/seam/writer.ts'
import { type Times, usualTimes } from '../runtime/times.ts'
import { claimDeliveries, type ClaimedDelivery, resetFarDue, readDueEndpoints } from './claim-deliveries.ts'
import { type DeliveryState, recordOutcomes, type AttemptedDelivery } from './delivery-outcomes.ts'
import { eventBody, type RenderMessage } from './event-body.ts'
import { Lanes } from './lanes.ts'
import { isAccepted, type PostResult } from './post.ts'
import { longestDelayMs } from './retry-schedule.ts'
import { signedHeaders } from './signature.ts'

export interface DelivererDeps {
  read: Db
  writer: Writer
  clock: Clock
  /** The time that decides what is due. It never steps back. */
  dueNow: () => number
  /** The same time in a transaction, equal on all nodes. */
  timeOf: (tx: Tx) => Promise<number>
  ids: Ids
  random: () => number
  log: Log
  metrics: Pick<Metrics, 'webhookTried'>
  secretBox: SecretBox
  renderMessage: RenderMessage
  /** Sends one POST. Never throws, and takes at most `timeoutMs`. */
  post: (url: URL, what: { headers: Readonly<Record<string, string>>; body: string }) => Promise<PostResult>
  timeoutMs: number
  pollIntervalMs: number
  maxInLane: number
  maxConnections: number
  disableAfterMs: number
  times?: Times
}

/** After a slower response, or a failure, more parallel deliveries would not help. */
const quickMs = 2_000
/** Maximum results in one transaction. */
const maxOutcomes = 200

/**
 * Delivers events to webhook endpoints (P11): claims due deliveries, posts them and records the results. A
 * delivery that was in flight at a crash is due again when its lease ends, with the same ID. Polls at
 * intervals and after each delivery; no notification is needed.
 */
export class Deliverer implements Service {
  readonly #deps: DelivererDeps
  readonly #lanes: Lanes
  readonly #outcomes: Batcher<AttemptedDelivery, DeliveryState>
  readonly #inFlight = new Set<Promise<void>>()
  #cancel: () => void = () => undefined
  #polling: Promise<void> | null = null
  #pollAgain = false
  #stopped = true

  constructor(deps: DelivererDeps) {
    this.#deps = deps
    this.#lanes = new Lanes({ inLane: deps.maxInLane, connections: deps.maxConnections })
    this.#outcomes = new Batcher((take) => this.#record(take()), { maxWeight: maxOutcomes })
  }

  /** Number of deliveries in flight. */
  get open(): number {
    return this.#lanes.open
  }

  async start(): Promise<void> {
    this.#stopped = false
    await this.#deps.writer.write(async (tx) =>
      resetFarDue(tx, (await this.#deps.timeOf(tx)) + Math.max(longestDelayMs, this.#leaseMs)),
    )
    this.#schedulePoll()
  }

  /** Starts no new deliveries and waits for those in flight, at most the duration of one delivery. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#polling
    await Promise.all(this.#inFlight)
  }

  /** Polls for due deliveries now. */
  nudge(): void {
    if (this.#stopped) return
    if (this.#polling !== null) {
      this.#pollAgain = true
      return
    }
    this.#polling = this.#poll()
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'failed to poll for due webhook deliveries; will retry'),
      )
      .finally(() => {
        this.#polling = null
        if (!this.#pollAgain) return
        this.#pollAgain = false
        this.nudge()
      })
  }

  /** Resolves when nothing is due and nothing is in flight. */
  async drain(): Promise<void> {
    this.nudge()
    while (this.#polling !== null || this.#inFlight.size > 0) {
      await this.#polling
      await Promise.all(this.#inFlight)
    }
  }

  #schedulePoll(): void {
    if (this.#stopped) return
    this.#cancel = this.#deps.clock.schedule(this.#deps.pollIntervalMs, () => {
      this.nudge()
      this.#schedulePoll()
    })
  }

  get #leaseMs(): number {
    return this.#deps.timeoutMs + (this.#deps.times ?? usualTimes).deliveryMarginMs
  }

  async #poll(): Promise<void> {
    const { read, writer, dueNow } = this.#deps
    const due = await readDueEndpoints(read, dueNow())
    const shares = this.#lanes.share(due.map(({ endpointId }) => endpointId))
    const wants = due.flatMap((endpoint, i) =>
      shares[i] === 0 ? [] : [{ ...endpoint, most: shares[i] as number }],
    )
    if (wants.length === 0 || this.#stopped) return
    const claimed = await writer.write(async (tx) =>
      claimDeliveries(tx, { wants, nowMs: await this.#deps.timeOf(tx), leaseMs: this.#leaseMs }),
    )
    for (const delivery of claimed) this.#begin(delivery)
  }

  #begin(delivery: ClaimedDelivery): void {
    this.#lanes.begin(delivery.endpointId)
    const running = this.#deliver(delivery)
      // Its lease ends, and the delivery is attempted again.
      .catch((error: unknown) =>
        this.#deps.log.error(
          { err: error, event: delivery.event.id },
          'failed to store the result of a webhook delivery',
        ),
      )
      .finally(() => {
        this.#inFlight.delete(running)
        this.nudge()
      })
    this.#inFlight.add(running)
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { clock, metrics, log } = this.#deps
    const startedMs = clock.monotonicMs()
    const atMs = clock.now()
    let isQuick: boolean | null = false
    try {
      const result = await this.#attempt(delivery, atMs)
      const durationMs = clock.monotonicMs() - startedMs
      isQuick = result.kind === 'gone' ? null : isAccepted(result) && durationMs <= quickMs
      const { accountId, endpointId, url, token, failures, trialUntil, event } = delivery
      const attempted = {
        accountId,
        endpointId,
        eventId: event.id,
        url,
        token,
        failures,
        trialUntil,
        result,
        atMs,
        durationMs,
      }
      const state = await this.#outcomes.add(attempted)
      metrics.webhookTried(state, durationMs / 1_000)
      if (state === 'given_up')
        log.warn({ endpoint: endpointId, event: event.id }, 'a webhook delivery failed permanently')
    } finally {
      this.#lanes.end(delivery.endpointId, isQuick)
    }
  }

  async #attempt(delivery: ClaimedDelivery, atMs: number): Promise<AttemptedDelivery['result']> {
    const { renderMessage, post } = this.#deps
    const body = eventBody(renderMessage, delivery.event, delivery.message)
    if (body === null) return { kind: 'gone' }
    let secrets: readonly string[]
    try {
      secrets = this.#secretsOf(delivery, atMs)
    } catch (error) {
      return { kind: 'failed', because: 'not_signed', detail: (error as Error).message }
    }
    const headers = {
      'content-type': 'application/json',
      'user-agent': `onesixty/${programVersion}`,
      ...signedHeaders(secrets, { id: delivery.event.id, atMs, body }),
    }
    return post(new URL(delivery.url), { headers, body })
  }

  #secretsOf({ endpointId, secret, formerSecrets }: ClaimedDelivery, atMs: number): string[] {
    const { secretBox } = this.#deps
    const sign = formerSecrets.filter((former) => former.until > atMs && secretBox.canOpen(former.secret))
    return [secret, ...sign.map((former) => former.secret)].map((each) => secretBox.open(each, endpointId))
  }

  #record(attempted: readonly AttemptedDelivery[]): Promise<DeliveryState[]> {
    const { writer, ids, random, disableAfterMs } = this.#deps
    return writer.write(async (tx) => {
      const nowMs = await this.#deps.timeOf(tx)
      return recordOutcomes(tx, { ids, nowMs, random, disableAfterMs }, attempted)
    })
  }
}

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
import { claimDeliveries, type ClaimedDelivery, mendFarDue, readDueEndpoints } from './claim-deliveries.ts'
import { type DeliveryStanding, recordOutcomes, type TriedDelivery } from './delivery-outcomes.ts'
import { eventBody, type RenderMessage } from './event-body.ts'
import { Lanes } from './lanes.ts'
import { isTaken, type PostResult } from './post.ts'
import { longestDelayMs } from './retry-schedule.ts'
import { signedHeaders } from './signature.ts'

export interface DelivererDeps {
  read: Db
  writer: Writer
  clock: Clock
  /** The time by which what waits is due, which never steps back. */
  dueNow: () => number
  /** The same in a transaction, as all nodes see it. */
  timeOf: (tx: Tx) => Promise<number>
  ids: Ids
  random: () => number
  log: Log
  metrics: Pick<Metrics, 'webhookTried'>
  secretBox: SecretBox
  renderMessage: RenderMessage
  /** One POST, which never throws and takes no longer than `timeoutMs`. */
  post: (url: URL, what: { headers: Readonly<Record<string, string>>; body: string }) => Promise<PostResult>
  timeoutMs: number
  pollIntervalMs: number
  maxInLane: number
  maxConnections: number
  disableAfterMs: number
  times?: Times
}

/** An answer that takes longer, or refuses, is taken for a sign that more at once would not help. */
const quickMs = 2_000
/** Outcomes that one transaction takes. */
const maxOutcomes = 200

/**
 * Tells endpoints what happened (P11): claims what is due by its state, posts it, and writes down what came of it. What it had under way when it was
 * killed is due again when its lease ends, under the same id. Looks at intervals and after each delivery; nobody has to wake it.
 */
export class Deliverer implements Service {
  readonly #deps: DelivererDeps
  readonly #lanes: Lanes
  readonly #outcomes: Batcher<TriedDelivery, DeliveryStanding>
  readonly #underWay = new Set<Promise<void>>()
  #cancel: () => void = () => undefined
  #looking: Promise<void> | null = null
  #lookAgain = false
  #stopped = true

  constructor(deps: DelivererDeps) {
    this.#deps = deps
    this.#lanes = new Lanes({ inLane: deps.maxInLane, connections: deps.maxConnections })
    this.#outcomes = new Batcher((take) => this.#record(take()), { maxWeight: maxOutcomes })
  }

  /** Deliveries under way. */
  get open(): number {
    return this.#lanes.open
  }

  async start(): Promise<void> {
    this.#stopped = false
    await this.#deps.writer.write(async (tx) =>
      mendFarDue(tx, (await this.#deps.timeOf(tx)) + Math.max(longestDelayMs, this.#leaseMs)),
    )
    this.#plan()
  }

  /** Begins nothing new, and waits for what is under way: no longer than one delivery takes. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#looking
    await Promise.all(this.#underWay)
  }

  /** Looks for work now. */
  nudge(): void {
    if (this.#stopped) return
    if (this.#looking !== null) {
      this.#lookAgain = true
      return
    }
    this.#looking = this.#look()
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'webhooks could not be looked for; trying again'),
      )
      .finally(() => {
        this.#looking = null
        if (!this.#lookAgain) return
        this.#lookAgain = false
        this.nudge()
      })
  }

  /** Settles when nothing is due and nothing under way. */
  async drain(): Promise<void> {
    this.nudge()
    while (this.#looking !== null || this.#underWay.size > 0) {
      await this.#looking
      await Promise.all(this.#underWay)
    }
  }

  #plan(): void {
    if (this.#stopped) return
    this.#cancel = this.#deps.clock.schedule(this.#deps.pollIntervalMs, () => {
      this.nudge()
      this.#plan()
    })
  }

  get #leaseMs(): number {
    return this.#deps.timeoutMs + (this.#deps.times ?? usualTimes).deliveryMarginMs
  }

  async #look(): Promise<void> {
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
      // Its lease ends, and it is tried again.
      .catch((error: unknown) =>
        this.#deps.log.error(
          { err: error, event: delivery.event.id },
          'what came of a delivery was not stored',
        ),
      )
      .finally(() => {
        this.#underWay.delete(running)
        this.nudge()
      })
    this.#underWay.add(running)
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { clock, metrics, log } = this.#deps
    const startedMs = clock.monotonicMs()
    const atMs = clock.now()
    let isQuick: boolean | null = false
    try {
      const result = await this.#try(delivery, atMs)
      const durationMs = clock.monotonicMs() - startedMs
      isQuick = result.kind === 'gone' ? null : isTaken(result) && durationMs <= quickMs
      const { accountId, endpointId, url, token, failures, trialUntil, event } = delivery
      const tried = {
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
      const standing = await this.#outcomes.add(tried)
      metrics.webhookTried(standing, durationMs / 1_000)
      if (standing === 'given_up')
        log.warn({ endpoint: endpointId, event: event.id }, 'a webhook was given up')
    } finally {
      this.#lanes.end(delivery.endpointId, isQuick)
    }
  }

  async #try(delivery: ClaimedDelivery, atMs: number): Promise<TriedDelivery['result']> {
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

  #record(tried: readonly TriedDelivery[]): Promise<DeliveryStanding[]> {
    const { writer, ids, random, disableAfterMs } = this.#deps
    return writer.write(async (tx) => {
      const nowMs = await this.#deps.timeOf(tx)
      return recordOutcomes(tx, { ids, nowMs, random, disableAfterMs }, tried)
    })
  }
}

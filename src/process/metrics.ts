import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { GaugeReads } from './gauge-reads.ts'
import type { Log } from './log.ts'

/** Label values, each counted from 0 at the start: an alert rule cannot compare a series that does not exist yet. */
const submissionOutcomes = ['accepted', 'refused', 'partial', 'unavailable', 'unknown', 'offered'] as const
/** Without `sending`, which no change of a message brings about: its open attempt says it. */
const messageStatuses = [
  'scheduled',
  'queued',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'expired',
  'canceled',
  'unconfirmed',
  'received',
] as const
const webhookStandings = ['delivered', 'failed', 'given_up', 'dropped', 'stale'] as const

/** Records metrics, by functions named after what happened. Names, labels and help texts are only here. */
export interface Metrics {
  accepted(messages: number, parts: number): void
  refused(code: string): void
  submitted(outcome: (typeof submissionOutcomes)[number]): void
  advanced(status: (typeof messageStatuses)[number] | 'sending'): void
  /** Stale fencing tokens: another node had taken over their leases when this node used them. */
  leaseTokensRefused(tokens: number): void
  /** One attempt of a webhook delivery, with its result. */
  webhookTried(standing: (typeof webhookStandings)[number], seconds: number): void
  requestEnded(operation: string, status: number, seconds: number): void
  /** Counters of the connection of one device. */
  linkOf(deviceId: string): {
    answered(status: string, seconds: number): void
    sessionLost(): void
    unparsed(what: 'word' | 'receipt' | 'rest' | 'pdu' | 'event' | 'message' | 'report'): void
  }
  /** Registers a gauge per device ID. It is read on each scrape, and omitted like those of `gauge`. */
  deviceGauge(
    name: string,
    help: string,
    read: () => Iterable<[string, number]> | Promise<Iterable<[string, number]>>,
  ): void
  /** Registers a gauge that is read on each scrape. It is omitted if it cannot be read, or not within 2 s. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** Returns the recent lag of the event loop: its 99th percentile. */
  eventLoopLagP99Ms(): Promise<number>
  /** Returns all metrics, in the text format of Prometheus. */
  text(): Promise<string>
}

/**
 * Creates all counters, gauges and histograms of a process, at 0. `log` receives which gauges cannot be read.
 */
export function createMetrics(
  clock: Pick<Clock, 'schedule'> = systemClock,
  log: Pick<Log, 'warn'> = { warn: () => undefined },
): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'onesixty_' })
  // Gauges that are named like counters; the same numbers are also available by type.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`onesixty_nodejs_active_${what}_total`)
  const registers = [registry]
  const counter = (name: string, help: string, ...labelNames: string[]): Counter =>
    new Counter({ name: `onesixty_${name}`, help, labelNames, registers })
  const messages = counter('messages_accepted_total', 'Messages accepted.')
  const parts = counter('parts_accepted_total', 'Parts accepted.')
  const refusals = counter('requests_refused_total', 'Requests rejected, by problem code.', 'code')
  const outcomes = counter(
    'submissions_total',
    'Finished submissions by outcome, and offers to phones.',
    'outcome',
  )
  const states = counter('message_states_total', 'Statuses that messages reached.', 'status')
  for (const outcome of submissionOutcomes) outcomes.inc({ outcome }, 0)
  for (const status of messageStatuses) states.inc({ status }, 0)
  const staleTokens = counter('lease_tokens_refused_total', 'Stale fencing tokens that were rejected.')
  const webhooks = webhookMetrics(registry)
  const requests = new Histogram({
    name: 'onesixty_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  })
  return {
    accepted(messageCount, partCount) {
      messages.inc(messageCount)
      parts.inc(partCount)
    },
    refused: (code) => refusals.inc({ code }),
    submitted: (outcome) => outcomes.inc({ outcome }),
    advanced: (status) => states.inc({ status }),
    leaseTokensRefused: (tokens) => staleTokens.inc(tokens),
    webhookTried: webhooks,
    requestEnded: (operation, status, seconds) =>
      requests.observe({ operation, status: String(status) }, seconds),
    linkOf: linkMetrics(registry),
    ...gaugesOf(registry, new GaugeReads(clock, log)),
    async eventLoopLagP99Ms() {
      const found = await registry.getSingleMetric('onesixty_nodejs_eventloop_lag_p99_seconds')?.get()
      return 1000 * (found?.values[0]?.value ?? 0)
    },
    text: () => registry.metrics(),
  }
}

function webhookMetrics(registry: Registry): Metrics['webhookTried'] {
  const registers = [registry]
  const attempts = new Counter({
    name: 'onesixty_webhook_attempts_total',
    help: 'Webhook delivery attempts, by result.',
    labelNames: ['result'],
    registers,
  })
  const times = new Histogram({
    name: 'onesixty_webhook_attempt_seconds',
    help: 'Duration of one webhook delivery attempt.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  })
  for (const standing of webhookStandings) attempts.inc({ result: standing }, 0)
  return (standing, seconds) => {
    attempts.inc({ result: standing })
    times.observe(seconds)
  }
}

/** Creates the counters of connections, by device. */
function linkMetrics(registry: Registry): Metrics['linkOf'] {
  const registers = [registry]
  const responses = new Counter({
    name: 'onesixty_smpp_responses_total',
    help: 'Responses of SMSCs to submitted parts, by status.',
    labelNames: ['device', 'status'],
    registers,
  })
  const sessionsLost = new Counter({
    name: 'onesixty_smpp_sessions_lost_total',
    help: 'Bound sessions that ended unexpectedly.',
    labelNames: ['device'],
    registers,
  })
  const unread = new Counter({
    name: 'onesixty_link_unread_total',
    help: 'What SMSCs and phones sent that could not be read: receipt states, receipts, optional parameters, PDUs, events, received messages, reports.',
    labelNames: ['device', 'what'],
    registers,
  })
  const responseTimes = new Histogram({
    name: 'onesixty_smpp_response_seconds',
    help: 'Time from a submitted part to its response.',
    labelNames: ['device'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  return (device) => ({
    answered(status, seconds) {
      responses.inc({ device, status })
      responseTimes.observe({ device }, seconds)
    },
    sessionLost: () => sessionsLost.inc({ device }),
    unparsed: (what) => unread.inc({ device, what }),
  })
}

/** Creates gauges that are read on each scrape. */
function gaugesOf(registry: Registry, reads: GaugeReads): Pick<Metrics, 'gauge' | 'deviceGauge'> {
  return {
    gauge(name, help, read) {
      registry.registerMetric(
        new Gauge({
          name: `onesixty_${name}`,
          help,
          registers: [],
          async collect() {
            const value = await reads.inTime(name, read)
            // A reset would report 0.
            if (value === null) this.remove()
            else this.set(value)
          },
        }),
      )
    },
    deviceGauge(name, help, read) {
      registry.registerMetric(
        new Gauge({
          name: `onesixty_${name}`,
          help,
          labelNames: ['device'],
          registers: [],
          async collect() {
            const values = await reads.inTime(name, read)
            // Removed devices keep no series.
            this.reset()
            for (const [device, value] of values ?? []) this.set({ device }, value)
          },
        }),
      )
    },
  }
}

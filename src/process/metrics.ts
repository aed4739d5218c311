import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { GaugeReads } from './gauge-reads.ts'
import type { Log } from './log.ts'

/** Label values, each counted from 0 at the start: an alert rule cannot compare a series that does not exist yet. */
const submissionOutcomes = ['accepted', 'refused', 'partial', 'unavailable', 'unknown', 'offered'] as const
const messageStatuses = [
  'scheduled',
  'queued',
  'sending',
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

/** What is counted, as functions named after what happened. One place knows names, labels and help texts. */
export interface Metrics {
  accepted(messages: number, parts: number): void
  refused(code: string): void
  submitted(outcome: (typeof submissionOutcomes)[number]): void
  advanced(status: (typeof messageStatuses)[number]): void
  /** Tokens of leases that others had taken when this node used them. */
  leaseTokensRefused(tokens: number): void
  /** One try of a webhook: how its delivery stands now. */
  webhookTried(standing: (typeof webhookStandings)[number], seconds: number): void
  requestEnded(operation: string, status: number, seconds: number): void
  /** What the link of a device counts of its wire. */
  linkOf(deviceId: string): {
    answered(status: string, seconds: number): void
    sessionLost(): void
    unread(what: 'word' | 'receipt' | 'rest' | 'pdu' | 'event' | 'message' | 'report'): void
  }
  /** Numbers of devices, by their ids, that are read when somebody asks; left out as those of `gauge` are. */
  deviceGauge(
    name: string,
    help: string,
    read: () => Iterable<[string, number]> | Promise<Iterable<[string, number]>>,
  ): void
  /** A number that is read when somebody asks. One that cannot be read, or not within 2 s, is left out of the page. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** How late the event loop was of late: the 99th percentile. */
  eventLoopLagP99Ms(): Promise<number>
  /** Everything, in the text format of Prometheus. */
  text(): Promise<string>
}

/** All counters, gauges and histograms of a process, at 0. `log` hears which numbers cannot be read any more. */
export function createMetrics(
  clock: Pick<Clock, 'schedule'> = systemClock,
  log: Pick<Log, 'warn'> = { warn: () => undefined },
): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'onesixty_' })
  // Gauges that are named as counters are; the same numbers stand there by type.
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
  const tries = new Counter({
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
  for (const standing of webhookStandings) tries.inc({ result: standing }, 0)
  return (standing, seconds) => {
    tries.inc({ result: standing })
    times.observe(seconds)
  }
}

/** What links count of their wire, by device. */
function linkMetrics(registry: Registry): Metrics['linkOf'] {
  const registers = [registry]
  const answers = new Counter({
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
  const answerTimes = new Histogram({
    name: 'onesixty_smpp_response_seconds',
    help: 'Time from a submitted part to its response.',
    labelNames: ['device'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  return (device) => ({
    answered(status, seconds) {
      answers.inc({ device, status })
      answerTimes.observe({ device }, seconds)
    },
    sessionLost: () => sessionsLost.inc({ device }),
    unread: (what) => unread.inc({ device, what }),
  })
}

/** Numbers that are read when somebody asks for them. */
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
            // To reset it would say 0.
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
            // Devices that are gone leave no number behind.
            this.reset()
            for (const [device, value] of values ?? []) this.set({ device }, value)
          },
        }),
      )
    },
  }
}

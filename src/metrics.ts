import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What is counted, as functions named after what happened. One place knows names, labels and help texts. */
export interface Metrics {
  accepted(messages: number, parts: number): void
  refused(code: string): void
  handedOver(outcome: string): void
  advanced(status: string): void
  requestEnded(operation: string, status: number, seconds: number): void
  /** A number that is read when somebody asks. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** Everything, in the text format of Prometheus. */
  text(): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'onesixty_' })
  const registers = [registry]
  const counter = (name: string, help: string, ...labelNames: string[]): Counter =>
    new Counter({ name: `onesixty_${name}`, help, labelNames, registers })
  const messages = counter('messages_accepted_total', 'Messages accepted.')
  const parts = counter('parts_accepted_total', 'Parts accepted.')
  const refusals = counter('requests_refused_total', 'Requests refused, by problem code.', 'code')
  const outcomes = counter('hand_overs_total', 'Ends of hand-overs, by outcome.', 'outcome')
  const states = counter('message_states_total', 'States that messages reached.', 'status')
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
    handedOver: (outcome) => outcomes.inc({ outcome }),
    advanced: (status) => states.inc({ status }),
    requestEnded: (operation, status, seconds) =>
      requests.observe({ operation, status: String(status) }, seconds),
    gauge(name, help, read) {
      registry.registerMetric(
        new Gauge({
          name: `onesixty_${name}`,
          help,
          registers: [],
          async collect() {
            this.set(await read())
          },
        }),
      )
    },
    text: () => registry.metrics(),
  }
}

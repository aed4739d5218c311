import { dayMs } from '../runtime/clock.ts'
import { renderMessage } from '../api/v1/message-view.ts'
import { createWebhookSecretBox } from '../runtime/secret-box.ts'
import type { Service } from '../process/lifecycle.ts'
import type { Wiring } from './wiring.ts'
import { databaseTime } from '../storage/seam/database-time.ts'
import { createAddressGuard } from '../outgoing/address-guard.ts'
import { webhookSettings } from '../settings/webhook-settings.ts'
import { Deliverer } from '../webhooks/deliverer.ts'
import { countWaiting } from '../webhooks/count-waiting.ts'
import { createFindAddresses } from '../outgoing/find-addresses.ts'
import { post } from '../webhooks/post.ts'

const nothing: Service = { start: async () => undefined, stop: async () => undefined }

/**
 * Creates the delivery of webhooks; a no-op service on servers without that role. Throws if
 * `ONESIXTY_WEBHOOK_ALLOW` is invalid.
 */
export function createWebhookDelivery(wiring: Wiring, dueNow: () => number): Service {
  const { config } = wiring
  const guard = createAddressGuard(config.webhookAllow, webhookSettings.webhookAllow.env)
  // On every node: the gauge must also show deliveries that are pending because no node has the role.
  wiring.metrics.gauge(
    'webhook_deliveries_pending',
    `Webhook deliveries that are queued, up to ${maxCounted}.`,
    () => countWaiting(wiring.read, maxCounted),
  )
  if (!config.roles.includes('webhooks')) return nothing
  const timeoutMs = config.webhookTimeoutMs
  const to = { guard, findAddresses: createFindAddresses(guard), timeoutMs }
  const deliverer = new Deliverer({
    ...wiring,
    dueNow,
    timeOf: (tx) => databaseTime(tx, { now: dueNow }),
    random: Math.random,
    secretBox: createWebhookSecretBox(wiring.secret),
    renderMessage,
    post: (url, what) => post(to, url, what),
    timeoutMs,
    pollIntervalMs: config.pollIntervalMs,
    maxInLane: config.webhookParallel,
    maxConnections: config.webhookConnections,
    disableAfterMs: config.webhookDisableDays * dayMs,
  })
  wiring.metrics.gauge('webhook_deliveries_in_flight', 'Webhook deliveries in flight.', () => deliverer.open)
  return deliverer
}

/** Counting more takes longer than it is worth. */
const maxCounted = 100_000

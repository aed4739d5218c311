import type { Config } from '../../config.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { createAddressGuard } from '../../outgoing/address-guard.ts'
import { webhookSettings } from '../../settings/webhook-settings.ts'
import { readDueEndpoints } from '../../webhooks/claim-deliveries.ts'
import { type CheckResult, fine, wrong } from '../core/check-result.ts'

/** A server polls twice a second and an attempt takes seconds: a delivery that is due for this long has no server. */
const lateAfterMs = 5 * 60_000

/** Checks that webhooks are sent, and their allowed targets. Empty without webhook endpoints and targets. */
export async function examineWebhooks(
  db: Db,
  { webhookAllow }: Pick<Config, 'webhookAllow'>,
  nowMs: number,
): Promise<CheckResult[]> {
  const endpoints = await db
    .selectFrom('webhook_endpoints')
    .select(['state', 'disabled_because', 'failing_since'])
    .where('state', '<>', 'removed')
    .execute()
  const targets = webhookAllow.length === 0 ? [] : [examineTargets(webhookAllow)]
  if (endpoints.length === 0) return targets
  const failed = endpoints.filter(
    ({ disabled_because }) => disabled_because === 'failing' || disabled_because === 'gone',
  ).length
  const failing = endpoints.filter((each) => each.state === 'enabled' && each.failing_since !== null).length
  const late = await readDueEndpoints(db, nowMs - lateAfterMs)
  const summary = `${endpoints.length} endpoints, ${failed} disabled after failures, ${failing} failing; ${late.length} with deliveries overdue by more than 5 min.`
  return [
    ...targets,
    {
      ...fine('webhooks', summary),
      remedy:
        late.length === 0
          ? null
          : 'If this persists, start a server with the role webhooks, or check the metric onesixty_webhook_deliveries_in_flight and the server log.',
    },
  ]
}

function examineTargets(webhookAllow: readonly string[]): CheckResult {
  try {
    createAddressGuard(webhookAllow, webhookSettings.webhookAllow.env)
    return fine('webhook_targets', `Allowed targets: public addresses and ${webhookAllow.join(', ')}.`)
  } catch (error) {
    const remedy = 'Correct ONESIXTY_WEBHOOK_ALLOW: no server starts with this value.'
    return wrong('webhook_targets', (error as Error).message, remedy)
  }
}

import type { Config } from '../config.ts'
import type { Db } from '../storage/dialect.ts'
import { createAddressGuard } from '../webhooks/address-guard.ts'
import { readDueEndpoints } from '../webhooks/claim-deliveries.ts'
import { type Finding, fine, wrong } from './finding.ts'

/** A server looks twice a second and tries for seconds: what has been due for so long nobody takes. */
const lateAfterMs = 5 * 60_000

/** Whether webhooks are told, and where they may go. Silent where nobody has asked for one. */
export async function examineWebhooks(
  db: Db,
  { webhookAllow }: Pick<Config, 'webhookAllow'>,
  nowMs: number,
): Promise<Finding[]> {
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
  const says = `${endpoints.length} endpoints, ${failed} of them disabled because they failed, ${failing} failing; ${late.length} have waited for more than five minutes.`
  return [
    ...targets,
    {
      ...fine('webhooks', says),
      remedy:
        late.length === 0
          ? null
          : 'If it stays so, start a server with the role webhooks, or look at what delays it: onesixty_webhook_deliveries_in_flight and its log.',
    },
  ]
}

function examineTargets(webhookAllow: readonly string[]): Finding {
  try {
    createAddressGuard(webhookAllow)
    return fine('webhook_targets', `Webhooks may go to ${webhookAllow.join(', ')} beside public addresses.`)
  } catch (error) {
    const remedy = 'Correct ONESIXTY_WEBHOOK_ALLOW: a server refuses to start with it.'
    return wrong('webhook_targets', (error as Error).message, remedy)
  }
}

import { realKinds } from '../../connectors/registry.ts'
import { areOwnDevicesFree } from '../../devices/core/own-carriers.ts'
import type { Matched } from '../../devices/routes/rule.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Route } from './candidate.ts'
import { type ExplainedStage, explainRoute } from './explain-route.ts'
import type { RuleChoice } from './choose-rule.ts'
import type { RouteBook } from './route-book.ts'
import { moreOf, type ReportedDevices } from './reported-candidates.ts'

/** A message that is not sent, and about whose way is asked. */
export interface RouteQuestion extends Omit<Matched, 'plan'> {
  /** With the fallback to shared devices, where own devices are free. */
  fallback: boolean
  /** Draws the weights. */
  messageId: string
}

export interface RouteExplanation {
  rule: RuleChoice['rule']
  isRefused: boolean
  /** Name of the way in the key of the route; null for the usual one. */
  way: string | null
  /** None if the rule refuses the message. */
  stages: ExplainedStage[]
}

/** Explains which way a message would go now: the first rule that matches, and what each device is for it. */
export async function explainQuestion(
  { read, routes }: { read: Db; routes: Pick<RouteBook, 'choose' | 'resolve' | 'nowOf' | 'refresh'> },
  { fallback, messageId, ...message }: RouteQuestion,
  devicesFor: (route: Route) => Promise<ReportedDevices> | ReportedDevices,
): Promise<RouteExplanation> {
  const { accountId, mode, from: sender, parts } = message
  const choice = routes.choose(message)
  const { rule, isRefused } = choice
  if (isRefused) return { rule, isRefused, way: null, stages: [] }
  const { name, way } = routes.resolve(choice, accountId, messageId)
  await routes.refresh()
  const isFree = mode === 'live' && !fallback && (await areOwnDevicesFree(read, accountId, realKinds))
  const route: Route = {
    accountId,
    mode,
    routeKey: '',
    sender,
    encodingForced: false,
    avoids: null,
    ...(isFree && { isOwnOnly: true as const }),
    ...(name !== null && { way: name }),
  }
  const { candidates, ...sets } = await devicesFor(route)
  const stages = explainRoute({
    route,
    parts,
    now: routes.nowOf(way),
    devices: candidates,
    more: moreOf(sets),
  })
  return { rule, isRefused, way: name, stages }
}

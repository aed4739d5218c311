import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ClaimRequest } from '../../messages/queue/claim-messages.ts'
import type { Candidate, Route } from './candidate.ts'
import { type ClaimPlan, planClaims } from './plan-claims.ts'
import type { WayNow } from './walk-way.ts'

const restMs = 1_000
const maxWants = 10_000

interface PlannerDeps {
  clock: Pick<Clock, 'monotonicMs'>
  pool: {
    candidatesFor: (route: Route) => readonly Candidate[]
    routes: { wayOf: (route: Route) => WayNow | null }
  }
}

/**
 * Plans what is claimed of the routes whose turn it is. Wants of later stages that found no message that has waited long enough
 * rest for a second, and cost nothing while the stages before have no room for long.
 */
export class ClaimPlanner {
  readonly #deps: PlannerDeps
  readonly #untilMs = new BoundedMap<number>(maxWants)

  constructor(deps: PlannerDeps) {
    this.#deps = deps
  }

  /** Plans the claims of a round. */
  plan(routes: readonly Route[]): ClaimPlan {
    const { clock, pool } = this.#deps
    const plan = planClaims(routes, pool.candidatesFor, pool.routes.wayOf)
    const nowMs = clock.monotonicMs()
    const rests = (request: ClaimRequest): boolean =>
      request.waitedMs !== undefined && (this.#untilMs.get(nameOf(request)) ?? 0) > nowMs
    return plan.requests.some(rests)
      ? { ...plan, requests: plan.requests.filter((request) => !rests(request)) }
      : plan
  }

  /** Records how many messages each of these claims found. */
  found(requests: readonly ClaimRequest[], counts: readonly number[]): void {
    for (const [i, request] of requests.entries())
      if (request.waitedMs !== undefined && counts[i] === 0)
        this.#untilMs.set(nameOf(request), this.#deps.clock.monotonicMs() + restMs)
  }
}

const nameOf = ({ accountId, routeKey, deviceId, partsOver }: ClaimRequest): string =>
  `${accountId}/${routeKey}/${deviceId}/${partsOver}`

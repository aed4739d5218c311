import type { Clock } from '../../runtime/clock.ts'
import type { RateLimit } from './rate-limit.ts'
import type { SimPaces } from './sim-paces.ts'

/** The rate limit of a device, over all its SIMs. */
export interface Throughput extends RateLimit {
  remaining: number
  /** When the next SIM begins a new window. */
  resetsAt: number | null
  /** The rate limit of each SIM, if there are several. */
  bySim?: readonly { slot: number; partsPerWindow: number; remaining: number; resetsAt: number | null }[]
}

/** Returns the rate limit and what is left of it now. */
export function throughputOf(
  paces: SimPaces,
  { partsPerWindow, windowSeconds }: RateLimit,
  clock: Pick<Clock, 'now' | 'monotonicMs'>,
): Throughput {
  const bySim = paces.all(clock.monotonicMs()).map(({ sim, parts, resetsInMs }) => ({
    slot: sim ?? 0,
    partsPerWindow,
    remaining: parts,
    resetsAt: resetsInMs === 0 ? null : clock.now() + resetsInMs,
  }))
  const resets = bySim.flatMap(({ resetsAt }) => resetsAt ?? [])
  return {
    partsPerWindow: partsPerWindow * bySim.length,
    windowSeconds,
    remaining: bySim.reduce((sum, { remaining }) => sum + remaining, 0),
    resetsAt: resets.length === 0 ? null : Math.min(...resets),
    ...(bySim.length > 1 ? { bySim } : {}),
  }
}

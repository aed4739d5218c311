import { minuteMs, hourMs, dayMs } from '../../../runtime/clock.ts'
import { grainMs } from '../../../messages/core/traffic.ts'
import type { TrafficGrain } from '../../../storage/tables/traffic-tables.ts'

/** Range and bar width: 12 to 90 bars, as many as can be distinguished. */
export const overviewRanges = {
  '1h': { barMs: 5 * minuteMs, bars: 12 },
  '6h': { barMs: 15 * minuteMs, bars: 24 },
  '24h': { barMs: hourMs, bars: 24 },
  '7d': { barMs: 6 * hourMs, bars: 28 },
  '30d': { barMs: dayMs, bars: 30 },
  '90d': { barMs: dayMs, bars: 90 },
} as const

export type OverviewRange = keyof typeof overviewRanges

/** Returns the bars of a range, in UTC; the last one contains `nowMs` and is incomplete. */
export function windowOf(
  range: OverviewRange,
  nowMs: number,
): { grain: TrafficGrain; barMs: number; fromMs: number; toMs: number } {
  const { barMs, bars } = overviewRanges[range]
  const toMs = nowMs - (nowMs % barMs) + barMs
  return { grain: barMs < grainMs.hours6 ? 'minutes5' : 'hours6', barMs, fromMs: toMs - bars * barMs, toMs }
}
